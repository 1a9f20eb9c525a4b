//! How a value of a parameter or descriptor looks to clients.

use utoipa::openapi::schema::{SchemaType, Type};
use utoipa::openapi::{ObjectBuilder, RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

/// How a [`baton::Value`] of a parameter looks to clients: a number, a word, yes or no, or nothing.
#[derive(Debug)]
pub struct Setting;

// By hand: a whole number is a number too, which "one of" would not allow.
impl PartialSchema for Setting {
    fn schema() -> RefOr<Schema> {
        let kinds = SchemaType::from_iter([Type::Number, Type::String, Type::Boolean, Type::Null]);
        let about = "A value of a parameter: a number, a word, yes or no, or nothing.";
        ObjectBuilder::new().schema_type(kinds).description(Some(about)).build().into()
    }
}

impl ToSchema for Setting {}
