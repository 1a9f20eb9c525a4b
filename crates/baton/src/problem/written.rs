//! A space as it is kept: a list of parameters, or an object where something is forbidden.

use super::condition::Condition;
use super::parameter::Parameter;
use super::space::Space;
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Serialize, Serializer};
use std::fmt;

#[derive(Serialize)]
struct Borrowed<'a> {
    parameters: &'a [Parameter],
    forbid: &'a [Condition],
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Whole {
    parameters: Vec<Parameter>,
    forbid: Vec<Condition>,
}

impl Serialize for Space {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let (parameters, forbid) = (self.parameters(), self.forbidden());
        if forbid.is_empty() {
            return parameters.serialize(out);
        }
        Borrowed { parameters, forbid }.serialize(out)
    }
}

impl<'de> Deserialize<'de> for Space {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(Reader)
    }
}

struct Reader;

impl<'de> Visitor<'de> for Reader {
    type Value = Space;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a list of parameters")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Space, A::Error> {
        let parameters = Vec::deserialize(SeqAccessDeserializer::new(list))?;
        Space::new(parameters).map_err(A::Error::custom)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Space, A::Error> {
        let Whole { parameters, forbid } = Whole::deserialize(MapAccessDeserializer::new(map))?;
        Space::new(parameters).and_then(|space| space.without(forbid)).map_err(A::Error::custom)
    }
}
