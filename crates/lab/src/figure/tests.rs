use super::*;

const STRANGE: [f64; 12] = [
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::MAX,
    f64::MIN,
    f64::MIN_POSITIVE,
    0.0,
    -0.0,
    -1.0,
    1e-320,
    1.0,
    1e99,
];

fn curve(means: &[f64]) -> Curve {
    let points = means.iter().zip(1..).map(|(&mean, x)| CurvePoint {
        x: f64::from(x),
        mean,
        half_width: 0.1,
    });
    Curve { label: String::from("a < b"), points: points.collect(), style: 0, is_grey: false }
}

fn lines(curves: Vec<Curve>, log_y: bool) -> LineFigure {
    LineFigure { log_y, curves, title: String::from("title"), ..LineFigure::default() }
}

fn surface(z: Vec<Vec<f64>>, log_z: bool) -> SurfaceFigure {
    let count = |length: usize| (1..).take(length).map(f64::from).collect::<Vec<f64>>();
    let ys = count(z.len());
    let xs = count(z.first().map_or(0, Vec::len));
    let best = ys.iter().map(|&y| (1.0, y)).collect();
    SurfaceFigure { xs, ys, z, log_z, best, ..SurfaceFigure::default() }
}

fn misplaced(svg: &str) -> bool {
    svg.contains("NaN") || svg.contains("inf")
}

fn assert_drawn(svg: &str) {
    assert!(!misplaced(svg), "a place is not a number");
    assert!(png(svg, 200).is_ok());
}

#[test]
fn figures_without_data_are_errors() {
    assert_eq!(lines(Vec::new(), false).svg(), Err(FigureError::NothingToDraw));
    assert_eq!(lines(vec![curve(&[])], true).svg(), Err(FigureError::NothingToDraw));
    assert_eq!(lines(vec![curve(&[f64::NAN])], false).svg(), Err(FigureError::NothingToDraw));
    assert_eq!(SurfaceFigure::default().svg(), Err(FigureError::NothingToDraw));
}

#[test]
fn a_point_that_is_not_finite_leaves_a_gap() {
    let whole = lines(vec![curve(&[1.0, 2.0, 3.0, 2.0, 1.0])], false).svg().unwrap();
    let gapped = lines(vec![curve(&[1.0, 2.0, f64::NAN, 2.0, 1.0])], false).svg().unwrap();
    let dots = |svg: &str| svg.matches("<circle").count();
    assert_eq!(dots(&whole), dots(&gapped) + 1);
    assert_drawn(&gapped);
}

#[test]
fn a_band_that_reaches_below_zero_is_cut_off_on_a_logarithmic_axis() {
    assert_drawn(&lines(vec![curve(&[1.0, 0.05, 0.01])], true).svg().unwrap());
}

#[test]
fn bands_give_way_to_bars_above_five_curves() {
    let many = |count: usize| lines(vec![curve(&[1.0, 2.0]); count], false).svg().unwrap();
    assert!(many(5).contains("shaded"));
    assert!(many(6).contains("bars"));
    assert_drawn(&many(9));
}

#[test]
fn panels_share_a_legend() {
    let panel =
        || lines(vec![curve(&[1.0, 2.0]), Curve { label: "b".into(), ..curve(&[3.0]) }], true);
    let sheet = |count: usize| SheetFigure { panels: vec![panel(); count], columns: 2 }.svg();
    assert_eq!(sheet(0), Err(FigureError::NothingToDraw));
    for count in [1, 3] {
        let svg = sheet(count).unwrap();
        assert_eq!(svg.matches("a &lt; b").count(), 1);
        assert_drawn(&svg);
    }
}

#[test]
fn markup_in_labels_does_no_harm() {
    let svg = lines(vec![curve(&[1.0, 2.0])], false).svg().unwrap();
    assert!(svg.contains("a &lt; b"));
    assert_drawn(&svg);
}

#[test]
fn strange_numbers_never_panic() {
    for one in STRANGE {
        for other in STRANGE {
            for log in [false, true] {
                let points = vec![
                    CurvePoint { x: one, mean: other, half_width: one },
                    CurvePoint { x: 2.0, mean: one, half_width: other },
                    CurvePoint { x: other, mean: 3.0, half_width: 1.0 },
                ];
                let mut figure = lines(vec![Curve { points, ..Curve::default() }], log);
                figure.log_x = log;
                assert!(!figure.svg().is_ok_and(|svg| misplaced(&svg)), "{figure:?}");
                let heights = vec![vec![one, other, 1.0], vec![2.0, one, 1.5]];
                let mut figure = surface(heights, log);
                figure.lines = vec![(String::from("level"), vec![other, one])];
                figure.best = vec![(one, other), (other, 1.0)];
                assert!(!figure.svg().is_ok_and(|svg| misplaced(&svg)), "{figure:?}");
            }
        }
    }
}

#[test]
fn a_surface_with_holes_and_reference_levels_is_drawn() {
    let mut figure = surface(vec![vec![1.0, f64::NAN, 3.0], vec![2.0, 1.0, 0.5]], true);
    figure.lines = vec![(String::from("none"), vec![1.0, 2.0])];
    assert_drawn(&figure.svg().unwrap());
}

#[test]
fn a_surface_of_one_row_or_column_is_drawn_as_a_map_only() {
    assert_drawn(&surface(vec![vec![1.0, 2.0, 3.0]], false).svg().unwrap());
    assert_drawn(&surface(vec![vec![1.0], vec![2.0]], false).svg().unwrap());
}

#[test]
fn sizes_that_do_not_fit_are_errors() {
    let good = surface(vec![vec![1.0, 2.0], vec![3.0, 4.0]], false);
    let mut bad = good.clone();
    bad.z.pop();
    assert!(matches!(bad.svg(), Err(FigureError::Shape { expected: 2, got: 1, .. })));
    let mut bad = good.clone();
    bad.lines = vec![(String::new(), vec![1.0])];
    assert!(matches!(bad.svg(), Err(FigureError::Shape { .. })));
    let mut bad = good;
    bad.xs = vec![2.0, 1.0];
    assert_eq!(bad.svg(), Err(FigureError::NotRising { what: "xs" }));
}
