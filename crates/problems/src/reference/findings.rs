//! Arrays from JSON, and how far two of them are apart.

use serde_json::Value;

/// Numbers with the lengths of their dimensions; none for a single number.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Array {
    shape: Vec<usize>,
    numbers: Vec<f64>,
}

impl Array {
    /// Reads nested lists of numbers; `None` if they are ragged or hold anything else.
    pub fn read(value: &Value) -> Option<Self> {
        if let Some(number) = value.as_f64() {
            return Some(number.into());
        }
        let parts: Option<Vec<Self>> = value.as_array()?.iter().map(Self::read).collect();
        Self::stacked(parts?)
    }

    /// Arrays of one shape as one array.
    fn stacked(parts: Vec<Self>) -> Option<Self> {
        let mut shape = vec![parts.len()];
        if let Some(first) = parts.first() {
            shape.extend(&first.shape);
        }
        let regular = parts.iter().all(|part| part.shape == shape[1..]);
        let numbers = parts.into_iter().flat_map(|part| part.numbers).collect();
        regular.then_some(Self { shape, numbers })
    }

    /// The rows of a matrix.
    pub fn rows(&self) -> Option<Vec<&[f64]>> {
        match self.shape[..] {
            [_, width] if width > 0 => Some(self.numbers.chunks(width).collect()),
            _ => None,
        }
    }

    /// The numbers of a list.
    pub fn list(&self) -> Option<&[f64]> {
        (self.shape.len() == 1).then_some(&self.numbers)
    }
}

impl From<f64> for Array {
    fn from(number: f64) -> Self {
        Self { shape: Vec::new(), numbers: vec![number] }
    }
}

impl From<&[f64]> for Array {
    fn from(numbers: &[f64]) -> Self {
        Self { shape: vec![numbers.len()], numbers: numbers.to_vec() }
    }
}

impl From<Vec<Vec<f64>>> for Array {
    /// Rows of different lengths keep a shape that equals no other.
    fn from(rows: Vec<Vec<f64>>) -> Self {
        let width = rows.first().map_or(0, Vec::len);
        Self { shape: vec![rows.len(), width], numbers: rows.concat() }
    }
}

impl<const WIDTH: usize> From<&[[f64; WIDTH]]> for Array {
    fn from(rows: &[[f64; WIDTH]]) -> Self {
        Self { shape: vec![rows.len(), WIDTH], numbers: rows.concat() }
    }
}

/// How far apart two computations of the same quantity are.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// the part of the file
    pub group: String,
    /// what was computed
    pub quantity: String,
    /// `max |a - b| / max |b|`, `b` being the file's; absolute where `b` is zero throughout, and
    /// infinite if something is missing, not a number, or of another shape
    pub relative_error: f64,
    /// the largest error that counts as agreement
    pub tolerance: f64,
}

impl Comparison {
    /// Whether the two computations agree.
    pub fn passed(&self) -> bool {
        self.relative_error <= self.tolerance
    }
}

/// All comparisons so far.
#[derive(Debug, Default)]
pub(super) struct Findings {
    comparisons: Vec<Comparison>,
}

impl Findings {
    /// Compares an array with what the file says.
    pub fn compare(
        &mut self,
        (group, quantity): (&str, &str),
        tolerance: f64,
        ours: impl Into<Array>,
        theirs: &Value,
    ) {
        let error = Array::read(theirs).map_or(f64::INFINITY, |b| distance(&ours.into(), &b));
        self.note((group, quantity), tolerance, error);
    }

    /// Compares what has to be equal.
    pub fn compare_exactly(&mut self, (group, quantity): (&str, &str), equal: bool) {
        self.note((group, quantity), 0.0, if equal { 0.0 } else { f64::INFINITY });
    }

    fn note(&mut self, (group, quantity): (&str, &str), tolerance: f64, relative_error: f64) {
        let (group, quantity) = (group.to_owned(), quantity.to_owned());
        self.comparisons.push(Comparison { group, quantity, relative_error, tolerance });
    }

    /// The comparisons in their order.
    pub fn into_comparisons(self) -> Vec<Comparison> {
        self.comparisons
    }
}

fn distance(ours: &Array, theirs: &Array) -> f64 {
    if ours.shape != theirs.shape || ours.numbers.len() != theirs.numbers.len() {
        return f64::INFINITY;
    }
    let (mut apart, mut size) = (0.0_f64, 0.0_f64);
    for (a, b) in ours.numbers.iter().zip(&theirs.numbers) {
        let difference = (a - b).abs();
        if difference.is_nan() {
            return f64::INFINITY;
        }
        apart = apart.max(difference);
        size = size.max(b.abs());
    }
    if size > 0.0 { apart / size } else { apart }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn error(ours: impl Into<Array>, theirs: &Value) -> f64 {
        let mut findings = Findings::default();
        findings.compare(("group", "quantity"), 1e-9, ours, theirs);
        findings.into_comparisons()[0].relative_error
    }

    #[test]
    fn errors_are_relative_to_the_largest_of_the_reference() {
        assert_eq!(error(&[1.0, 3.0][..], &json!([1.0, 4.0])), 0.25);
        assert_eq!(error(vec![vec![1.0], vec![-8.0]], &json!([[0.0], [-8]])), 0.125);
        assert_eq!(error(0.5, &json!(0.0)), 0.5);
    }

    #[test]
    fn what_cannot_be_compared_is_infinitely_far() {
        for theirs in [json!([1.0]), json!([[1.0, 2.0]]), json!("1"), json!(null), json!([1, "2"])]
        {
            assert_eq!(error(&[1.0, 2.0][..], &theirs), f64::INFINITY);
        }
        assert_eq!(error(f64::NAN, &json!(1.0)), f64::INFINITY);
        assert_eq!(error(vec![vec![1.0, 2.0], vec![3.0]], &json!([[1, 2], [3]])), f64::INFINITY);
        assert_eq!(error(vec![vec![1.0, 2.0], vec![3.0]], &json!([[1, 2], [3, 4]])), f64::INFINITY);
    }
}
