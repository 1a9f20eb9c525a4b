//! Spaces whose parameters are there under conditions, and spaces of which something is forbidden.

use baton::problem::{Parameter, Space, Value, difference_of_spaces};
use baton_numerics::random::{Key, Purpose};
use proptest::prelude::*;

/// An optimiser with parameters of its own, and a number of layers, each with its width.
fn network() -> Vec<Parameter> {
    let there = |parameter: Parameter, when: &str| parameter.when(when).unwrap();
    vec![
        there(Parameter::real("momentum", 0.0, 1.0), "optimizer = sgd"),
        Parameter::choice("optimizer", ["sgd", "adam", "lion"]),
        Parameter::integer("layers", 1, 3),
        there(Parameter::integer("second", 1, 9), "layers >= 2"),
        there(Parameter::choice("third", ["relu", "tanh", "none"]), "layers > 2"),
        there(Parameter::real("slope", 0.0, 1.0), "third = relu and optimizer != sgd"),
        Parameter::log("rate", 1e-4, 1.0),
    ]
}

fn conditional() -> Space {
    Space::new(network()).unwrap()
}

fn refused(parameters: Vec<Parameter>) -> String {
    Space::new(parameters).unwrap_err().to_string()
}

#[test]
fn what_is_inactive_is_absent_and_lies_in_one_place() {
    let space = conditional();
    let at = |u: &[f64]| space.point(u).unwrap();
    // momentum, optimizer (3), layers, second, third (3), slope, rate
    let shallow = [0.9, 0.1, 0.2, 0.0, 0.0, 0.7, 0.0, 0.0, 1.0, 0.3, 0.5];
    let point = at(&shallow);
    let absent: Vec<bool> = point.iter().map(Value::is_absent).collect();
    assert_eq!(absent, [true, false, false, true, true, true, false]);
    let mut other = shallow;
    for i in [0, 5, 6, 7, 9] {
        other[i] = 0.123; // none of these is there
    }
    assert_eq!(at(&other), point);
    let (mut here, mut there) = (shallow.to_vec(), other.to_vec());
    space.snap(&mut here);
    space.snap(&mut there);
    assert_eq!(here, there);
    assert_eq!(here[5..10], [0.5, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0, 0.5]);
    let deep = at(&[0.9, 0.1, 0.2, 0.0, 1.0, 0.7, 0.9, 0.0, 0.5, 0.3, 0.5]);
    assert_eq!((&deep[4], &deep[5]), (&Value::from("relu"), &Value::Real(0.3)));
}

#[test]
fn a_point_has_what_is_there_and_nothing_else() {
    let space = conditional();
    let mut point = space.point(&[0.2, 1.0, 0.0, 0.0, 0.0, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5]).unwrap();
    assert_eq!(space.canonical(&point).unwrap(), point);
    point[3] = Value::Integer(4);
    let reason = space.canonical(&point).unwrap_err().to_string();
    assert_eq!(
        reason,
        "parameter second: it is 4, but it is there only when layers >= 2; leave it out"
    );
    point[3] = Value::Absent;
    point[0] = Value::Absent;
    let reason = space.canonical(&point).unwrap_err().to_string();
    assert_eq!(reason, "parameter momentum: it has no value, although optimizer = sgd");
    point[0] = Value::Real(0.1);
    point[6] = Value::Absent;
    assert!(space.canonical(&point).unwrap_err().to_string().contains("rate: it has no value"));
}

#[test]
fn another_value_brings_what_depends_on_it_and_takes_what_does_no_more() {
    let space = conditional();
    let point = space.point(&[0.2, 1.0, 0.0, 0.0, 0.0, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5]).unwrap();
    let varied = space.varied(&point, 2, &Value::Integer(3));
    assert_eq!(space.canonical(&varied).unwrap(), varied);
    assert_eq!((&varied[3], &varied[4]), (&Value::Integer(5), &Value::from("relu")));
    let varied = space.varied(&varied, 1, &Value::from("lion"));
    assert!(varied[0].is_absent() && varied[5] == Value::Real(0.5));
}

#[test]
fn conditions_that_do_not_fit_are_refused_with_what_there_is() {
    let with = |when: &str| {
        let extra = Parameter::real("extra", 0.0, 1.0).when(when).unwrap();
        refused([network(), vec![extra]].concat())
    };
    for (when, words) in [
        (
            "optimzer = sgd",
            "at sign 1: there is no parameter \"optimzer\"; there are momentum, opt",
        ),
        ("optimizer = sdg", "at sign 13: sdg is no value of optimizer, which is one of sgd, adam"),
        ("layers = 9", "9 is no value of layers"),
        ("layers > 3", "nothing in the space fulfils this"),
        ("rate > 0.1", "rate is continuous"),
        ("rate = 0.1", "never exactly one value"),
        ("layers + second > 3", "at sign 10: a clause of when speaks of one parameter"),
        ("optimizer > 2", "optimizer is no number"),
        ("layers >= 1 and extra > 2", "extra is continuous"),
    ] {
        let reason = with(when);
        assert!(reason.contains(words), "{when}: {reason}");
    }
    let a = Parameter::integer("a", 0, 1).when("b = 1").unwrap();
    let b = Parameter::integer("b", 0, 1).when("a = 1").unwrap();
    let c = Parameter::integer("c", 0, 1).when("a = 1").unwrap();
    let reason = refused(vec![c, a, b]);
    assert!(reason.contains("depends on itself, by way of") && !reason.contains('c'), "{reason}");
    let alone = Parameter::integer("a", 0, 1).when("a = 1").unwrap();
    assert!(refused(vec![alone]).ends_with("depends on itself"));
}

#[test]
fn spaces_that_say_no_more_than_before_are_kept_as_before() {
    let plain = Space::new([Parameter::integer("n", 0, 3)]).unwrap();
    let text = serde_json::to_string(&plain).unwrap();
    assert_eq!(text, r#"[{"name":"n","domain":{"integer":{"low":0,"high":3,"log":false}}}]"#);
    let whole = conditional().forbid(["second + layers > 9", "rate > 0.5 and layers = 1"]).unwrap();
    for space in [plain, conditional(), whole.clone()] {
        let text = serde_json::to_string(&space).unwrap();
        assert_eq!(serde_json::from_str::<Space>(&text).unwrap(), space, "{text}");
    }
    let text = serde_json::to_string(&whole).unwrap().replace("rate > 0.5", "rite > 0.5");
    let reason = serde_json::from_str::<Space>(&text).unwrap_err().to_string();
    assert!(reason.contains("no parameter \"rite\""), "{reason}");
    let point = whole.point(&[0.5; 11]).unwrap();
    let text = serde_json::to_string(&point).unwrap();
    assert!(text.contains("{}"), "{text}");
    assert_eq!(serde_json::from_str::<Vec<Value>>(&text).unwrap(), point);
    assert!(serde_json::from_str::<Value>("{\"a\":1}").is_err());
}

#[test]
fn what_differs_between_conditions_and_what_is_forbidden_is_told() {
    let began = conditional().forbid(["second + layers > 9"]).unwrap();
    let mut parameters = network();
    parameters[0].when = None;
    let wanted = Space::new(parameters).unwrap().forbid(["rate > 0.5"]).unwrap();
    let told = difference_of_spaces(&began, &wanted).unwrap();
    assert_eq!(
        told,
        "momentum is now there always, it was when optimizer = sgd; \
         second + layers > 9 is not forbidden any more; rate > 0.5 is forbidden now"
    );
    assert!(difference_of_spaces(&began, &began).is_none());
}

fn square() -> Space {
    Space::new([Parameter::real("x", 0.0, 1.0), Parameter::real("y", 0.0, 2.0)]).unwrap()
}

#[test]
fn a_forbidden_place_is_left_by_the_shortest_way() {
    let space = square().forbid(["x + y > 1.2"]).unwrap();
    let mut u = [0.8, 0.5];
    space.snap(&mut u);
    let (x, y) = (u[0], 2.0 * u[1]);
    assert!(x + y <= 1.2 && x + y > 1.2 - 1e-9, "{x} {y}");
    // At a right angle to the border, in coordinates: (1, 2).
    assert!(((0.8 - x) * 2.0 - (0.5 - u[1])).abs() < 1e-9, "{u:?}");
    let reason = space.check_allowed(&[1.0.into(), 1.0.into()]).unwrap_err().to_string();
    assert_eq!(reason, "the point is forbidden: x + y > 1.2");
}

#[test]
fn what_leaves_nothing_or_speaks_of_what_is_not_there_is_refused() {
    let refused = |lines: &[&str]| square().forbid(lines).unwrap_err().to_string();
    assert!(refused(&["x >= 0"]).contains("(nearly) all of it"), "{}", refused(&["x >= 0"]));
    assert!(refused(&["x + z > 1"]).contains("there is no parameter \"z\""));
    assert!(refused(&["x = 0.5"]).contains("never exactly one value"));
    let small = Space::new([Parameter::integer("n", 0, 3)]).unwrap();
    assert!(small.clone().forbid(["n < 9"]).unwrap_err().to_string().contains("all of its points"));
    assert_eq!(small.forbid(["n != 2"]).unwrap().enumerate(9).unwrap().ncols(), 1);
    // A slab that no point of a sample hits.
    let thin = square().forbid(["x + y > 1.2", "x + y < 1.1999999"]).unwrap();
    let point = thin.point(&[0.1, 0.9]).unwrap();
    assert!(thin.forbids(&point).is_none(), "{point:?}");
}

#[test]
fn what_is_said_of_an_absent_parameter_forbids_nothing() {
    let space = conditional().forbid(["momentum < 2 and rate > 0.01"]).unwrap();
    let adam = space.point(&[0.2, 0.0, 1.0, 0.0, 0.0, 0.5, 0.5, 0.5, 0.5, 0.5, 0.9]).unwrap();
    assert_eq!(adam[1], Value::from("adam"));
    let sgd = space.point(&[0.2, 1.0, 0.0, 0.0, 0.0, 0.5, 0.5, 0.5, 0.5, 0.5, 0.9]).unwrap();
    assert!(sgd[6].number().unwrap() <= 0.01, "{sgd:?}");
}

#[test]
fn listed_points_are_all_that_are_legal_each_once() {
    let there = Parameter::integer("n", 1, 3).when("mode = a").unwrap();
    let space = Space::new([Parameter::choice("mode", ["a", "b"]), there]).unwrap();
    let all = |space: &Space| space.enumerate(99).unwrap().ncols();
    assert_eq!(all(&space), 3 + 1);
    assert_eq!(space.most_at_once(), 2);
    assert_eq!(all(&space.forbid(["mode = a and n > 1"]).unwrap()), 1 + 1);
}

#[test]
fn neighbours_that_bring_a_parameter_begin_at_several_places_of_it() {
    let space = conditional();
    let mut u = vec![0.5, 0.0, 1.0, 0.0, 0.0, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5];
    space.snap(&mut u);
    let around = space.neighbours(&u);
    let sgd = around.iter().filter(|place| place[1] == 1.0);
    let mut momenta: Vec<f64> = sgd.map(|place| place[0]).collect();
    momenta.sort_by(f64::total_cmp);
    assert!(
        momenta.len() > 5 && momenta[0] < 0.3 && momenta[momenta.len() - 1] > 0.7,
        "{momenta:?}"
    );
    for place in around {
        let mut snapped = place.clone();
        space.snap(&mut snapped);
        assert_eq!(snapped, place);
    }
}

/// A parameter, perhaps there under a condition on those before it.
fn any_parameter(place: usize) -> impl Strategy<Value = Parameter> {
    let name = format!("p{place}");
    let kind = prop_oneof![
        Just(Parameter::real(&name, -1.0, 3.0)),
        Just(Parameter::log(&name, 1e-3, 1e3)),
        Just(Parameter::integer(&name, -2, 4)),
        Just(Parameter::stepped(&name, 0.0, 1.0, 0.25)),
        Just(Parameter::choice(&name, [0_i64, 1, 2])),
        Just(Parameter::ordered(&name, [0.0, 1.0, 5.0])),
    ];
    (kind, prop::option::of((any::<prop::sample::Index>(), 0..3_usize))).prop_map(
        move |(parameter, when)| {
            let Some((parent, form)) = when.filter(|_| place > 0) else { return parameter };
            let parent = format!("p{}", parent.index(place));
            let when = ["{} = 1", "{} != 0", "{} > 0"][form].replace("{}", &parent);
            parameter.when(&when).unwrap()
        },
    )
}

/// Those that the other parameters allow; a condition on a continuous one is left out.
fn any_space() -> impl Strategy<Value = Space> {
    let parameters = (any_parameter(0), any_parameter(1), any_parameter(2), any_parameter(3));
    let line = prop::sample::select(vec![
        "p0 + p1 > 2",
        "p0 - 2*p2 <= -1",
        "p1 = 1 and p3 < 0.5",
        "p0 > 1 and p1 > 1",
        "p3 >= 1",
        "p2 != 1 and 0.1*p0 + p3 > 1",
    ]);
    (parameters, prop::collection::vec(line, 0..3)).prop_filter_map(
        "nothing is left",
        |(four, lines)| {
            let mut parameters = vec![four.0, four.1, four.2, four.3];
            for i in 0..parameters.len() {
                if parameters[i].check_when(&parameters[..i]).is_err() {
                    parameters[i].when = None;
                }
            }
            let space = Space::new(parameters).ok()?;
            let fits = |line: &&str| space.clone().forbid([*line]).is_ok();
            let lines: Vec<&str> = lines.into_iter().filter(fits).collect();
            space.forbid(lines).ok()
        },
    )
}

/// Of a point: legal, allowed, and the same by way of its coordinates.
fn check(space: &Space, coordinates: &[f64]) {
    let point = space.point(coordinates).unwrap();
    assert_eq!(space.canonical(&point).unwrap(), point);
    assert!(space.forbids(&point).is_none(), "{point:?}");
    let mut snapped = coordinates.to_vec();
    space.snap(&mut snapped);
    assert!(snapped.iter().all(|u| (0.0..=1.0).contains(u)));
    assert_eq!(space.point(&snapped).unwrap(), point);
    let again = snapped.clone();
    space.snap(&mut snapped);
    assert_eq!(snapped, again);
    let back = space.coordinates(&point).unwrap();
    assert!(back.iter().zip(&snapped).all(|(a, b)| (a - b).abs() < 1e-12), "{back:?} {snapped:?}");
    for (parameter, range) in space.parameters().iter().zip(&point).filter(|(_, v)| v.is_absent()) {
        assert!(parameter.when.is_some(), "{range:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]
    #[test]
    fn whatever_comes_from_coordinates_is_legal_and_stays_where_it_is(
        space in any_space(),
        seed in any::<u64>(),
    ) {
        let mut stream = Key { seed, ..Key::default() }.stream(Purpose::Candidates, 0);
        for _ in 0..8 {
            let u: Vec<f64> = (0..space.dimension()).map(|_| stream.uniform()).collect();
            check(&space, &u);
            let mut legal = u.clone();
            space.snap(&mut legal);
            space.neighbours(&legal).iter().for_each(|place| check(&space, place));
        }
        let spread = space.scattered(16, &mut stream);
        prop_assert_eq!(spread.ncols(), 16);
        (0..16).for_each(|j| check(&space, spread.col_as_slice(j)));
        if let Some(all) = space.enumerate(10_000) {
            prop_assert!(all.ncols() > 0);
            (0..all.ncols()).step_by(7).for_each(|j| check(&space, all.col_as_slice(j)));
        }
        let text = serde_json::to_string(&space).unwrap();
        prop_assert_eq!(serde_json::from_str::<Space>(&text).unwrap(), space);
    }
}
