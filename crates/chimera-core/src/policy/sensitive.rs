//! Topics that go to a person whatever the score: politics, health advice, financial advice, legal claims.
//! A small lexicon of our own: one telling phrase is enough, of weaker words it takes two different ones.

use super::wording::{contains_phrase, stems};
use std::{
    collections::{BTreeSet, HashMap},
    fmt,
    sync::LazyLock,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Topic {
    Politics,
    HealthAdvice,
    FinancialAdvice,
    LegalClaims,
}

impl Topic {
    pub const ALL: [Self; 4] = [Self::Politics, Self::HealthAdvice, Self::FinancialAdvice, Self::LegalClaims];

    pub fn name(self) -> &'static str {
        match self {
            Self::Politics => "politics",
            Self::HealthAdvice => "health advice",
            Self::FinancialAdvice => "financial advice",
            Self::LegalClaims => "legal claims",
        }
    }

    /// The topic that a rule means by `word`, such as "political topics" or "medical advice".
    pub fn named(words: &str) -> Option<Self> {
        let wanted = stems(words);
        let mentions = |names: &[&str]| names.iter().any(|name| contains_phrase(&wanted, &stems(name)));
        if mentions(&["politics", "political", "elections", "partisan"]) {
            Some(Self::Politics)
        } else if mentions(&["health advice", "medical advice", "medicine", "medical", "health", "health claims", "diagnoses"]) {
            Some(Self::HealthAdvice)
        } else if mentions(&["financial advice", "investment advice", "investing advice", "investments", "financial", "stock tips"]) {
            Some(Self::FinancialAdvice)
        } else if mentions(&["legal advice", "legal claims", "legal", "lawsuits", "litigation"]) {
            Some(Self::LegalClaims)
        } else {
            None
        }
    }
}

impl fmt::Display for Topic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The sensitive topics that `text` touches, each once.
pub fn topics(text: &str) -> Vec<Topic> {
    let words = &stems(text);
    let found: BTreeSet<(Topic, Weight)> = (0..words.len())
        .flat_map(|at| LEXICON.get(&words[at]).into_iter().flatten().filter(move |known| words[at..].starts_with(&known.phrase)))
        .map(|known| (known.topic, known.weight))
        .collect();
    let is_touched = |topic: &Topic| {
        let weak = found.iter().filter(|(of, weight)| of == topic && *weight != Weight::Telling).count();
        found.contains(&(*topic, Weight::Telling)) || weak >= WEAK_WORDS_MIN
    };
    Topic::ALL.into_iter().filter(is_touched).collect()
}

/// Different weak words that together are a sign.
const WEAK_WORDS_MIN: usize = 2;

/// Weak phrases are told apart by their numbers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Weight {
    Telling,
    Weak(usize),
}

struct Known {
    topic: Topic,
    phrase: Vec<String>,
    weight: Weight,
}

/// By the first word of a phrase, so that each word of a text is looked up once.
static LEXICON: LazyLock<HashMap<String, Vec<Known>>> = LazyLock::new(|| {
    let mut lexicon: HashMap<String, Vec<Known>> = HashMap::new();
    for topic in Topic::ALL {
        let (telling, weak) = match topic {
            Topic::Politics => (POLITICS_TELLING, POLITICS_WEAK),
            Topic::HealthAdvice => (HEALTH_TELLING, HEALTH_WEAK),
            Topic::FinancialAdvice => (FINANCE_TELLING, FINANCE_WEAK),
            Topic::LegalClaims => (LEGAL_TELLING, LEGAL_WEAK),
        };
        let telling = telling.split(',').map(|phrase| (phrase, Weight::Telling));
        let weak = weak.split(',').enumerate().map(|(number, phrase)| (phrase, Weight::Weak(number)));
        for (phrase, weight) in telling.chain(weak) {
            let phrase = stems(phrase);
            if let Some(first) = phrase.first().cloned() {
                lexicon.entry(first).or_default().push(Known { topic, phrase, weight });
            }
        }
    }
    lexicon
});

const POLITICS_TELLING: &str = "politics, political, politician, election, presidential, republican, democrat, democrats, gop, congress, \
    congressman, congresswoman, senator, senate, parliament, prime minister, white house, supreme court, ballot, voter, impeach, \
    impeachment, gubernatorial, legislator, lawmaker, partisan, abortion, gun control, immigration policy, brexit, lobbying, lobbyist, \
    left wing, right wing, referendum, head of state, trump, biden, obama, hillary clinton, bernie sanders, putin, campaign trail, \
    political campaign, house speaker, midterm, border wall, refugee ban, obamacare, coup, dictator";
const POLITICS_WEAK: &str = "president, governor, government, minister, policy, vote, campaign, candidate, conservative, liberal, protest, \
    sanctions, immigration, immigrants, tax bill, legislation, bill, party, state department, nato, regime, mayor, law enforcement, \
    constituents, advocacy, regulation, debate, diplomat, embassy, treaty, war, military, rally, administration";
const HEALTH_TELLING: &str = "medical advice, diagnose, diagnosis, prescription, dosage, side effects, cure for, cures, treat my, treatment for, \
    cancer, diabetes, vaccine, vaccination, antidepressant, chemotherapy, symptoms of, my symptoms, weight loss, lose weight, blood pressure, \
    heart disease, mental health, depression, anxiety, bipolar, epilepsy, covid, immune system, clinically proven, boosts immunity, \
    autism, dementia, alzheimer, miscarriage, eating disorder, heart attack, stroke, opioid, insulin, antibiotics";
const HEALTH_WEAK: &str = "health, doctor, disease, symptom, treatment, treat, therapy, patient, medicine, medication, drug, hospital, pain, cure, \
    infection, illness, headache, sleep, diet, calories, nutrition, vitamin, supplement, disorder, chronic, heal, detox, yoga, \
    workout, exercise, stress, thyroid, allergy, flu, virus, fitness, wellness, surgery, remedy, mindfulness, meditation, pregnancy";
const FINANCE_TELLING: &str = "financial advice, investment advice, invest in, investing, investment, investor, stock market, stock price, index fund, mutual fund, \
    portfolio, retirement account, retirement savings, guaranteed return, mortgage, hedge fund, price target, buy the dip, \
    financial planner, credit score, interest rate, cryptocurrency, bitcoin, tax deduction, 401k, dividend, wall street, passive income, \
    day trading, retirement portfolio, my retirement, pay off debt, refinance, short selling, yield curve, bull market, bear market";
const FINANCE_WEAK: &str = "stock, stocks, bond, shares, returns, profit, savings, loan, debt, retirement, fund, finance, financial, trading, crypto, \
    bank, tax, wealth, asset, income, earnings, inflation, insurance, contribute, crypto token";
const LEGAL_TELLING: &str = "legal advice, legal claim, legal rights, legally, lawsuit, sue, sued, suing, attorney, lawyer, plaintiff, defendant, litigation, \
    settlement offer, power of attorney, breach of contract, copyright infringement, patent infringement, trademark infringement, defamation, libel, \
    class action, indicted, indictment, convicted, pleaded guilty, pleads guilty, sentenced to, charged with, custody of, \
    non disclosure agreement, liable for, subpoena, felony, arrested, accused of, murder, manslaughter, jury, my will, inheritance tax";
const LEGAL_WEAK: &str = "legal, law, court, judge, trial, contract, liability, liable, rights, custody, police, crime, criminal, prosecutor, verdict, \
    sentence, guilty, charges, suspect, prison, jail, alleged, allegedly, dispute, jurisdiction, landlord, tenant, inheritance, \
    regulator, fine, penalty, ruling, fraud, theft, assault, shooting, robbery";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_topic_is_recognised() {
        for (text, topic) in [
            ("The senator faces a close election in November.", Topic::Politics),
            ("The president met the minister about the sanctions.", Topic::Politics),
            ("What is the right dosage for a child?", Topic::HealthAdvice),
            ("This supplement can cure chronic pain.", Topic::HealthAdvice),
            ("Buy now: a guaranteed return on your portfolio.", Topic::FinancialAdvice),
            ("Move your savings out of bonds.", Topic::FinancialAdvice),
            ("The maker was sued over the battery.", Topic::LegalClaims),
            ("A court sets aside the contract.", Topic::LegalClaims),
        ] {
            assert!(topics(text).contains(&topic), "{text}: {:?}", topics(text));
        }
    }

    #[test]
    fn everyday_texts_touch_none() {
        for text in [
            "",
            "The bakery on Mill Street opens a second oven this spring.",
            "A telescope in Chile finds a comet with a blue tail.",
            "Our new notebook has 120 pages and lies flat.",
            "漢字とひらがな",
        ] {
            assert_eq!(topics(text), [], "{text}");
        }
    }

    #[test]
    fn a_topic_that_a_rule_names_is_found() {
        for (words, topic) in [
            ("politics", Some(Topic::Politics)),
            ("political topics", Some(Topic::Politics)),
            ("medical advice", Some(Topic::HealthAdvice)),
            ("financial advice", Some(Topic::FinancialAdvice)),
            ("legal claims", Some(Topic::LegalClaims)),
            ("competitors", None),
        ] {
            assert_eq!(Topic::named(words), topic, "{words}");
        }
    }
}
