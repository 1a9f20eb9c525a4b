//! Values, positions and coordinates of a parameter lead to each other.

use super::*;

fn numbers(values: &[f64]) -> Vec<Value> {
    values.iter().map(|x| Value::Real(*x)).collect()
}

fn domains() -> Vec<Domain> {
    let words = |list: &[&str]| list.iter().map(|word| Value::from(*word)).collect();
    vec![
        Domain::Real { low: -2.0, high: 3.0, log: false },
        Domain::Real { low: 1e-5, high: 0.1, log: true },
        Domain::Real { low: 1e-300, high: 1e300, log: true },
        Domain::Stepped { low: 0.0, high: 1e7, step: 1.0 / 3.0 },
        Domain::Stepped { low: 1.7e9, high: 1.7e9 + 100.0, step: 1.0 / 3.0 },
        Domain::Stepped { low: 1e6, high: 1e6 + 1e-5, step: 1e-7 },
        Domain::Integer { low: -3, high: 4, log: false },
        Domain::Integer { low: 1, high: 4096, log: true },
        Domain::Integer { low: 7, high: 7, log: false },
        Domain::Stepped { low: -202.0, high: 24.0, step: 2.0 },
        Domain::Stepped { low: 0.0, high: 1.0, step: 0.1 },
        Domain::Ordered { choices: numbers(&[0.0, 0.4, 0.5, 1.0]) },
        Domain::Ordered { choices: words(&["small", "medium", "large"]) },
        Domain::Choice { choices: words(&["a", "b"]) },
        Domain::Choice { choices: words(&["a", "b", "c", "d"]) },
    ]
}

#[test]
fn value_and_coordinates_lead_to_each_other() {
    for domain in domains() {
        domain.check("p").unwrap();
        for i in 0..=40 {
            let start: Vec<f64> = (0..domain.width())
                .map(|k| (f64::from(i) / 40.0 + 0.3 * k as f64) % 1.001)
                .collect();
            let value = domain.value(&start);
            let mut there = vec![0.0; domain.width()];
            domain.locate("p", &value, &mut there).unwrap();
            assert!(there.iter().all(|u| (0.0..=1.0).contains(u)), "{domain:?} {there:?}");
            assert_eq!(domain.value(&there), value, "{domain:?}");
        }
    }
}

#[test]
fn values_spread_from_end_to_end_are_legal_and_different() {
    for domain in domains() {
        let values = domain.spread(9);
        assert!(!values.is_empty() && values.len() <= 9, "{domain:?}");
        for (i, value) in values.iter().enumerate() {
            let mut there = vec![0.0; domain.width()];
            domain.locate("p", value, &mut there).unwrap();
            assert!(values[..i].iter().all(|other| other != value), "{domain:?} {values:?}");
        }
    }
    let whole = Domain::Integer { low: -3, high: 4, log: false }.spread(100);
    assert_eq!(whole, (-3..=4).map(Value::Integer).collect::<Vec<Value>>());
}

#[test]
fn the_nearest_value_is_taken_and_the_lower_of_two() {
    let alpha = Domain::Ordered { choices: numbers(&[0.0, 0.4, 0.5, 1.0]) };
    assert_eq!(alpha.value(&[0.21]), Value::Real(0.4));
    assert_eq!(alpha.value(&[0.2]), Value::Real(0.0));
    assert_eq!(alpha.value(&[0.76]), Value::Real(1.0));
    let steps = Domain::Stepped { low: 0.0, high: 1.0, step: 0.1 };
    assert_eq!(steps.value(&[0.3]), Value::Real(0.3));
    assert_eq!(steps.count(), Some(11));
    let power = Domain::Stepped { low: -202.0, high: 24.0, step: 2.0 };
    assert_eq!(power.count(), Some(114));
    assert_eq!(power.value(&[1.0]), Value::Real(24.0));
}

#[test]
fn illegal_values_and_domains_are_refused() {
    let mut slot = [0.0];
    let steps = Domain::Stepped { low: 0.0, high: 1.0, step: 0.1 };
    assert!(steps.locate("p", &Value::Real(0.25), &mut slot).is_err());
    assert!(steps.locate("p", &Value::Real(1.1), &mut slot).is_err());
    assert!(domains()[0].locate("p", &Value::from("x"), &mut slot).is_err());
    assert!(domains()[0].locate("p", &Value::Real(f64::NAN), &mut slot).is_err());
    let bad = [
        Domain::Real { low: 1.0, high: 1.0, log: false },
        Domain::Real { low: 0.0, high: 1.0, log: true },
        Domain::Real { low: f64::NAN, high: 1.0, log: false },
        Domain::Real { low: -1e308, high: 1e308, log: false },
        Domain::Integer { low: 2, high: 1, log: false },
        Domain::Integer { low: i64::MIN, high: i64::MAX, log: false },
        Domain::Stepped { low: 0.0, high: 1.0, step: 0.0 },
        Domain::Stepped { low: 0.0, high: 1.0, step: 1e-300 },
        Domain::Ordered { choices: vec![] },
        Domain::Ordered { choices: numbers(&[1.0, 0.5]) },
        Domain::Choice { choices: vec![Value::Real(1.0), Value::Integer(1)] },
        Domain::Choice { choices: vec![Value::Real(f64::NAN)] },
    ];
    for domain in bad {
        let refused = domain.check("p").unwrap_err().to_string();
        assert!(refused.contains("parameter p"), "{refused}");
    }
}
