//! The front matter of SOUL.md as an operator writes it: the one document that people write by hand, so every value keeps its line.
//! It is read from YAML and never published as a JSON Schema.

use serde::Deserialize;
use serde_saphyr::Spanned;

/// The fields between the two `---` lines; `domain::soul` gives them their rules.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SoulFrontMatter {
    pub name: Spanned<String>,
    pub id: Spanned<String>,
    pub handle: Spanned<String>,
    pub voice_traits: Spanned<Vec<Spanned<String>>>,
    pub directives: Spanned<Vec<Spanned<String>>>,
    pub core_beliefs: Spanned<Vec<Spanned<String>>>,
    pub platforms: Spanned<Vec<Spanned<String>>>,
    pub disclosure: Spanned<String>,
    pub examples: Option<Spanned<Vec<Spanned<String>>>>,
    pub language: Option<Spanned<String>>,
    pub character_reference_id: Option<Spanned<String>>,
    pub brand: Option<BrandFrontMatter>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BrandFrontMatter {
    pub colors: Spanned<Vec<Spanned<String>>>,
    pub logo: Option<Spanned<String>>,
}
