//! The languages that we judge and write in.

use std::{fmt, str::FromStr};

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Language {
    #[default]
    English,
    Spanish,
    French,
    German,
    Portuguese,
    Italian,
    Dutch,
    Amharic,
    Swahili,
    Arabic,
    Hindi,
    Japanese,
    Chinese,
}

impl Language {
    /// In the order of the detector's weights.
    pub const ALL: [Self; 13] = [
        Self::English,
        Self::Spanish,
        Self::French,
        Self::German,
        Self::Portuguese,
        Self::Italian,
        Self::Dutch,
        Self::Amharic,
        Self::Swahili,
        Self::Arabic,
        Self::Hindi,
        Self::Japanese,
        Self::Chinese,
    ];

    /// ISO 639-1, which is BCP 47's primary tag.
    pub fn code(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Spanish => "es",
            Self::French => "fr",
            Self::German => "de",
            Self::Portuguese => "pt",
            Self::Italian => "it",
            Self::Dutch => "nl",
            Self::Amharic => "am",
            Self::Swahili => "sw",
            Self::Arabic => "ar",
            Self::Hindi => "hi",
            Self::Japanese => "ja",
            Self::Chinese => "zh",
        }
    }

    /// In English.
    pub fn name(self) -> &'static str {
        match self {
            Self::English => "English",
            Self::Spanish => "Spanish",
            Self::French => "French",
            Self::German => "German",
            Self::Portuguese => "Portuguese",
            Self::Italian => "Italian",
            Self::Dutch => "Dutch",
            Self::Amharic => "Amharic",
            Self::Swahili => "Swahili",
            Self::Arabic => "Arabic",
            Self::Hindi => "Hindi",
            Self::Japanese => "Japanese",
            Self::Chinese => "Chinese",
        }
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a language that an agent can have: en, es, fr, de, pt, it, nl, am, sw, ar, hi, ja or zh")]
pub struct UnknownLanguage(pub String);

impl FromStr for Language {
    type Err = UnknownLanguage;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let known = Self::ALL.into_iter().find(|language| language.code().eq_ignore_ascii_case(text));
        known.ok_or_else(|| UnknownLanguage(text.chars().take(20).collect()))
    }
}
