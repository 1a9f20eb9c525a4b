//! Observations, in the order in which they were told; those of earlier tasks come first.

use baton::problem::History;

#[test]
fn a_refused_observation_leaves_no_trace() {
    let mut history = History::new(2);
    history.push(&[0.1, 0.2], 1, 3.0).unwrap();
    assert!(history.push(&[0.1], 0, 1.0).is_err());
    assert!(history.push(&[0.1, f64::NAN], 0, 1.0).is_err());
    let refused = history.push(&[0.1, 0.2], 0, f64::INFINITY).unwrap_err();
    assert_eq!(refused.to_string(), "observation 1 is inf, not a finite number");
    assert_eq!(history.len(), 1);
    assert_eq!(history.points()[(1, 0)], 0.2);
}
