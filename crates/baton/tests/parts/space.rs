//! The space of points: named parameters, and their way to the unit cube and back.

use baton::problem::{Parameter, Space, Value};

fn mixed() -> Space {
    Space::new([
        Parameter::real("x", -1.0, 1.0),
        Parameter::integer("n", 0, 10),
        Parameter::choice("mode", ["a", "b", "c"]),
        Parameter::log("rate", 1e-4, 1.0),
    ])
    .unwrap()
}

#[test]
fn corners_are_ends_and_choices() {
    assert_eq!(mixed().corners(), 2 * 2 * 3 * 2);
    let one = Space::new([Parameter::integer("n", 3, 3), Parameter::real("x", 0.0, 1.0)]);
    assert_eq!(one.unwrap().corners(), 2);
    let many = (0..80).map(|j| Parameter::real(&format!("x{j}"), 0.0, 1.0));
    assert_eq!(Space::new(many.collect::<Vec<_>>()).unwrap().corners(), u64::MAX);
}

#[test]
fn snapping_is_idempotent_and_legal() {
    let space = mixed();
    assert_eq!(space.dimension(), 6);
    let mut u = vec![0.3, 0.44, 0.2, 0.9, 0.1, 1.7];
    space.snap(&mut u);
    assert_eq!(u, [0.3, 0.4, 0.0, 1.0, 0.0, 1.0]);
    let again = u.clone();
    space.snap(&mut u);
    assert_eq!(u, again);
    let point = space.point(&u).unwrap();
    assert_eq!(point[1..3], [Value::Integer(4), Value::from("b")]);
    let back = space.coordinates(&point).unwrap();
    assert!(back.iter().zip(&u).all(|(a, b)| (a - b).abs() < 1e-15));
}

#[test]
fn small_discrete_spaces_can_be_listed() {
    let space =
        Space::new([Parameter::integer("n", 1, 3), Parameter::choice("c", ["x", "y", "z"])])
            .unwrap();
    let all = space.enumerate(9).unwrap();
    assert_eq!(all.ncols(), 9);
    let mut seen: Vec<String> =
        (0..9).map(|j| format!("{:?}", space.point(all.col_as_slice(j)).unwrap())).collect();
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), 9);
    assert!(space.enumerate(8).is_none());
    assert!(mixed().enumerate(u64::MAX).is_none());
}

#[test]
fn neighbours_differ_in_one_discrete_parameter() {
    let space = mixed();
    let mut u = vec![0.3, 0.4, 0.0, 1.0, 0.0, 0.5];
    space.snap(&mut u);
    let around = space.neighbours(&u);
    // 4 -> 3 5 2 6 0 8 (and no -4, 12), plus two other modes
    assert_eq!(around.len(), 6 + 2);
    for other in around {
        let mut snapped = other.clone();
        space.snap(&mut snapped);
        assert_eq!(snapped, other);
        assert!(other[0] == u[0] && other[5] == u[5]);
    }
}

#[test]
fn empty_and_contradictory_spaces_are_refused() {
    assert!(Space::new([]).is_err());
    let twice = [Parameter::real("x", 0.0, 1.0), Parameter::real("x", 0.0, 2.0)];
    assert!(Space::new(twice).unwrap_err().to_string().contains("twice"));
    assert!(Space::new([Parameter::real(" ", 0.0, 1.0)]).is_err());
    assert!(Space::new([Parameter::real("x", 2.0, 1.0)]).is_err());
    assert!(mixed().point(&[0.1]).is_err());
    assert!(mixed().coordinates(&[Value::Real(0.1)]).is_err());
}
