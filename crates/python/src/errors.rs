//! Which exception of `baton.errors` says what went wrong: the one place that decides.

use baton_runner::RunnerError;
use baton_store::StoreError;
use pyo3::prelude::*;

mod python {
    use pyo3::import_exception;

    import_exception!(baton.errors, CampaignError);
    import_exception!(baton.errors, ConstraintError);
    import_exception!(baton.errors, DescriptorError);
    import_exception!(baton.errors, FidelityError);
    import_exception!(baton.errors, KnowledgeError);
    import_exception!(baton.errors, NotFiniteError);
    import_exception!(baton.errors, NumericalError);
    import_exception!(baton.errors, ParameterError);
    import_exception!(baton.errors, RangeError);
    import_exception!(baton.errors, SettingError);
    import_exception!(baton.errors, ShapeError);
    import_exception!(baton.errors, StoreError);
    import_exception!(baton.errors, TrialError);
}

/// The exception for an error. Its message has the value at fault.
pub fn to_python(error: &RunnerError) -> PyErr {
    let message = error.to_string();
    match error {
        RunnerError::Algorithm(error) => of_algorithm(error, message),
        RunnerError::Store(StoreError::Refused { .. } | StoreError::NoCampaign { .. })
        | RunnerError::Differs { .. }
        | RunnerError::Refused { .. }
        | RunnerError::NotStarted { .. } => python::CampaignError::new_err(message),
        RunnerError::Store(_) | RunnerError::Overtaken { .. } => {
            python::StoreError::new_err(message)
        }
    }
}

fn of_algorithm(error: &baton::Error, message: String) -> PyErr {
    use baton::Error;
    match error {
        Error::Shape { .. } => python::ShapeError::new_err(message),
        Error::NotFinite { .. } => python::NotFiniteError::new_err(message),
        Error::OutOfRange { .. } => python::RangeError::new_err(message),
        Error::Parameter { .. } | Error::Condition { .. } | Error::Forbidden { .. } => {
            python::ParameterError::new_err(message)
        }
        Error::Descriptor { .. } => python::DescriptorError::new_err(message),
        Error::Constraint { .. } => python::ConstraintError::new_err(message),
        Error::Fidelity { .. } => python::FidelityError::new_err(message),
        Error::Setting { .. } => python::SettingError::new_err(message),
        Error::Knowledge { .. } => python::KnowledgeError::new_err(message),
        Error::Trial { .. } => python::TrialError::new_err(message),
        Error::Overflow { .. } | Error::Algebra(_) | Error::Factorisation { .. } => {
            python::NumericalError::new_err(message)
        }
        _ => python::CampaignError::new_err(message),
    }
}
