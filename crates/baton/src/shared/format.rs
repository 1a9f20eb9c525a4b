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
/// Of knowledge of described tasks, which earlier programs would misread.
const DESCRIBED: u64 = 2;
/// The same with what is known if descriptions are passed over.
const DESCRIBED_OR_NOT: u64 = 3;
/// Of knowledge of spaces with conditions, with forbidden combinations or with what is fixed, and of what
/// lacks a coordinate.
const CONDITIONAL: u64 = 4;
/// Of knowledge of quantities that have to keep bounds.
const CONSTRAINED: u64 = 5;

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
            version: self.version(),
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
        if !(VERSION..=CONSTRAINED).contains(&version) {
            return refuse(format!(
                "it has version {version}, this program reads {VERSION} to {CONSTRAINED}"
            ));
        }
        let document: Document<'_> = serde_json::from_str(text).map_err(refused)?;
        let (found, claimed) = (checksum_of(document.content.get()), document.checksum);
        if found != claimed {
            return refuse(format!("it is damaged: its checksum is {found}, it says {claimed}"));
        }
        let knowledge: Self = serde_json::from_str(document.content.get()).map_err(refused)?;
        if knowledge.version() != version {
            return refuse(format!("it is damaged: its content is not of version {version}"));
        }
        Ok(knowledge)
    }

    /// The first version that can say what it says.
    fn version(&self) -> u64 {
        match self.untold() {
            _ if !self.constraints().is_empty() => CONSTRAINED,
            _ if !self.schema().space.is_plain() || self.lacks() => CONDITIONAL,
            _ if self.schema().descriptors.is_empty() => VERSION,
            None => DESCRIBED,
            Some(_) => DESCRIBED_OR_NOT,
        }
    }
}

#[allow(clippy::needless_pass_by_value)] // for map_err
fn refused(error: serde_json::Error) -> Error {
    Error::Knowledge { reason: error.to_string() }
}

fn checksum_of(text: &str) -> String {
    format!("{:016x}", checksum::fnv1a(checksum::START, text.as_bytes()))
}
