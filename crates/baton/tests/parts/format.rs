//! Knowledge as text: JSON with a version and a checksum.

use super::testing::{every_model, example_theta};
use baton::model::Belief;
use baton::model::Particles;
use baton::problem::{Fidelity, Goal, Parameter, Space, Units};
use baton::shared::Knowledge;
use baton::shared::Schema;
use baton_numerics::checksum;

fn example() -> Knowledge {
    let space = Space::new([Parameter::real("x", 0.0, 1.0), Parameter::log("y", 1.0, 2.0)]);
    let fidelities = ["a", "b", "c"].map(|name| Fidelity::new(name, 1.0));
    let schema = Schema::new(space.unwrap(), &fidelities, Goal::Minimize);
    let mut knowledge = Knowledge::none(schema);
    let surrogate = every_model().remove(0);
    let particles = Particles::equal(vec![example_theta(&surrogate); 3]).unwrap();
    knowledge.belief = Some(Belief::new(&surrogate, particles));
    knowledge.units = Some(Units::of(Goal::Minimize, &[0.1, 0.7, -3.3]));
    knowledge.add_incumbent(vec![0.1, 1.0 / 3.0]);
    knowledge
}

#[test]
fn what_was_written_is_read_bit_for_bit() {
    let knowledge = example();
    let text = knowledge.to_json().unwrap();
    assert_eq!(Knowledge::from_json(&text).unwrap(), knowledge);
}

#[test]
fn every_damaged_byte_is_noticed() {
    let text = example().to_json().unwrap();
    for i in 0..text.len() {
        let mut bytes = text.clone().into_bytes();
        bytes[i] ^= 0x01;
        let Ok(damaged) = String::from_utf8(bytes) else { continue };
        assert!(Knowledge::from_json(&damaged).is_err(), "byte {i} of {damaged}");
        assert!(Knowledge::from_json(&text[..i]).is_err());
    }
}

#[test]
fn another_version_or_format_is_refused_with_a_reason() {
    let text = example().to_json().unwrap();
    for version in [2, 3] {
        let newer = text.replace("\"version\":1", &format!("\"version\":{version}"));
        let refused = Knowledge::from_json(&newer).unwrap_err().to_string();
        assert!(refused.contains(&format!("version {version}")), "{refused}");
    }
    assert!(Knowledge::from_json("{}").unwrap_err().to_string().contains("format"));
    assert!(Knowledge::from_json("nonsense").is_err());
}

#[test]
fn what_earlier_programs_wrote_besides_is_passed_over() {
    let knowledge = example();
    let text = knowledge.to_json().unwrap();
    let (head, content) = text.split_once(",\"content\":").unwrap();
    let content = content.strip_suffix('}').unwrap();
    let said = "{\"weight\":1.5,\"mean\":-0.4,\"squares\":0.2}";
    let content = content.replacen('{', &format!("{{\"tendencies\":[{said},{said}],"), 1);
    let checksum = checksum::fnv1a(checksum::START, content.as_bytes());
    let head = head.split(",\"checksum\"").next().unwrap();
    let older = format!("{head},\"checksum\":\"{checksum:016x}\",\"content\":{content}}}");
    assert_eq!(Knowledge::from_json(&older).unwrap(), knowledge);
}
