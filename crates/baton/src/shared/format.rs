//! Knowledge as text: JSON with a version and a checksum.
//!
//! `{"format": "baton-knowledge", "version": 1, "checksum": "..", "content": {..}}`. The checksum is
//! that of the content's text, byte by byte: any flipped bit is noticed.

use super::knowledge::Knowledge;
use crate::Error;
use crate::error::Result;
use baton_numerics::checksum;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

const FORMAT: &str = "baton-knowledge";
const VERSION: u64 = 1;

/// What every version has.
#[derive(Deserialize)]
struct Header {
    format: String,
    version: u64,
}

/// What this version has.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Document<'a> {
    format: String,
    version: u64,
    checksum: String,
    #[serde(borrow)]
    content: &'a RawValue,
}

impl Knowledge {
    /// The knowledge as text. Reading it back gives the same bits.
    ///
    /// # Errors
    /// If it holds a number that JSON cannot express.
    pub fn to_json(&self) -> Result<String> {
        let content = serde_json::value::to_raw_value(self).map_err(refused)?;
        let document = Document {
            format: FORMAT.to_owned(),
            version: VERSION,
            checksum: checksum_of(content.get()),
            content: &content,
        };
        serde_json::to_string(&document).map_err(refused)
    }

    /// Reads what [`Knowledge::to_json`] wrote.
    ///
    /// # Errors
    /// If the text is no knowledge, is damaged, or comes from a newer version.
    pub fn from_json(text: &str) -> Result<Self> {
        let refuse = |reason: String| Err(Error::Knowledge { reason });
        let Header { format, version } = serde_json::from_str(text).map_err(refused)?;
        if format != FORMAT {
            return refuse(format!("it is a file of the format {format:?}, not {FORMAT:?}"));
        }
        if version != VERSION {
            return refuse(format!("it has version {version}, this program reads {VERSION}"));
        }
        let document: Document<'_> = serde_json::from_str(text).map_err(refused)?;
        let (found, claimed) = (checksum_of(document.content.get()), document.checksum);
        if found != claimed {
            return refuse(format!("it is damaged: its checksum is {found}, it says {claimed}"));
        }
        serde_json::from_str(document.content.get()).map_err(refused)
    }
}

#[allow(clippy::needless_pass_by_value)] // for map_err
fn refused(error: serde_json::Error) -> Error {
    Error::Knowledge { reason: error.to_string() }
}

fn checksum_of(text: &str) -> String {
    format!("{:016x}", checksum::fnv1a(checksum::START, text.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Belief;
    use crate::model::Particles;
    use crate::model::testing::{every_model, example_theta};
    use crate::problem::{Fidelity, Goal, Parameter, Space, Units};
    use crate::shared::Schema;

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
        let newer = text.replace("\"version\":1", "\"version\":2");
        assert!(Knowledge::from_json(&newer).unwrap_err().to_string().contains("version 2"));
        assert!(Knowledge::from_json("{}").unwrap_err().to_string().contains("format"));
        assert!(Knowledge::from_json("nonsense").is_err());
    }
}
