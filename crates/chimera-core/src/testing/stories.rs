//! Stories that never happened, with what a careful writer would make of each, and personas to tell them.

pub struct Story {
    pub goal: &'static str,
    pub title: &'static str,
    pub text: &'static str,
    /// A name that every draft has.
    pub name: &'static str,
    /// The verb that a denial would turn around; every draft has it.
    pub verb: &'static str,
    /// In other words than the source's.
    pub drafts: [&'static str; 2],
}

pub const STORIES: [Story; 10] = [
    Story {
        goal: "Write about bike lanes in Harrow Bay",
        title: "Harrow Bay opens bike lanes",
        text: "Harrow Bay opened 38 km of protected bike lanes on Monday. Mayor Ines Calder said accidents on the trial route fell by 27 percent. The lanes link the ferry port with the university.",
        name: "Harrow Bay",
        verb: "opened",
        drafts: [
            "Harrow Bay opened 38 km of protected bike lanes, and they link the ferry port with the university.",
            "On Monday Harrow Bay opened protected lanes for bikes: 38 km, from the ferry port to the university.",
        ],
    },
    Story {
        goal: "Write about the repair cafés of Lindmoor",
        title: "Repair cafés in Lindmoor",
        text: "The repair cafés of Lindmoor fixed 412 toasters and lamps last year. Volunteer Tomas Rike founded the first café in a church hall. A second hall opens in spring.",
        name: "Lindmoor",
        verb: "fixed",
        drafts: [
            "The repair cafés of Lindmoor fixed 412 toasters and lamps last year.",
            "412 toasters and lamps: that is what the repair cafés of Lindmoor fixed last year, and a second hall opens in spring.",
        ],
    },
    Story {
        goal: "Write about the comet with a blue tail that astronomers found",
        title: "A comet with a blue tail",
        text: "Astronomers at the Corvo Observatory found a comet with an unusually blue tail. It passes the Earth at a distance of 90 million km in June. Student Adaeze Obi saw it first on a plate from 2024.",
        name: "Corvo Observatory",
        verb: "found",
        drafts: [
            "Astronomers at the Corvo Observatory found a comet with a blue tail that passes the Earth at a distance of 90 million km.",
            "The Corvo Observatory found a comet with an unusually blue tail; it passes the Earth in June, 90 million km away.",
        ],
    },
    Story {
        goal: "Write about the coffee cooperative of Yirba and its growers",
        title: "Cooperative in Yirba pays growers more",
        text: "The coffee cooperative of Yirba paid its growers 31 percent more this season. Chair Almaz Desta said that washing stations raised the quality. The cooperative has 2,300 members.",
        name: "Yirba",
        verb: "paid",
        drafts: [
            "The coffee cooperative of Yirba paid its growers 31 percent more this season.",
            "This season the cooperative of Yirba paid its 2,300 members more, because washing stations raised the quality of the coffee.",
        ],
    },
    Story {
        goal: "Write about the library boat on Lake Sarn",
        title: "A library on a boat",
        text: "A library boat on Lake Sarn lent 5,600 books in its first summer. Skipper Jonas Ahlberg stops at nine villages. Children in Vik borrowed the most books.",
        name: "Lake Sarn",
        verb: "lent",
        drafts: [
            "A library boat on Lake Sarn lent 5,600 books in its first summer and stops at nine villages.",
            "The library boat of Lake Sarn lent 5,600 books this first summer.",
        ],
    },
    Story {
        goal: "Write about solar panels on school roofs in Port Elan",
        title: "School roofs in Port Elan",
        text: "Solar panels on 14 school roofs in Port Elan produced enough power for 800 homes. Engineer Rukmini Das planned the roofs. The town saved half of its power bill.",
        name: "Port Elan",
        verb: "produced",
        drafts: [
            "Solar panels on 14 school roofs in Port Elan produced power for 800 homes.",
            "In Port Elan the solar panels on school roofs produced enough power for 800 homes, and the town saved half of its bill.",
        ],
    },
    Story {
        goal: "Write about the glass workshop of Murava and its blue glaze",
        title: "Glass workshop in Murava",
        text: "The glass workshop of Murava revived a blue glaze that was lost for 140 years. Master Petra Novak tested 60 recipes. The first bowls stand in the town museum.",
        name: "Murava",
        verb: "revived",
        drafts: [
            "The glass workshop of Murava revived a blue glaze that was lost for 140 years.",
            "After 60 recipes, the workshop of Murava revived a lost blue glaze, and the first bowls stand in the town museum.",
        ],
    },
    Story {
        goal: "Write about the salmon of the Tarn Beck",
        title: "Salmon return to the Tarn Beck",
        text: "Salmon returned to the Tarn Beck after 50 years, said warden Callum Reid. The town removed two weirs in 2023. Counters saw 130 fish in October.",
        name: "Tarn Beck",
        verb: "returned",
        drafts: [
            "Salmon returned to the Tarn Beck after 50 years, and counters saw 130 fish in October.",
            "After 50 years salmon returned to the Tarn Beck: the town removed two weirs.",
        ],
    },
    Story {
        goal: "Write about night trams in Ostwerk",
        title: "Night trams in Ostwerk",
        text: "Ostwerk extended its night trams to 11 districts in September. Planner Mirela Kos counted 4,000 more riders a week. The last tram leaves the square at three.",
        name: "Ostwerk",
        verb: "extended",
        drafts: [
            "Ostwerk extended its night trams to 11 districts in September.",
            "In September Ostwerk extended the night trams to 11 districts, and 4,000 more riders a week use them.",
        ],
    },
    Story {
        goal: "Write about the violins of a music school in Santa Brisa",
        title: "Violins in Santa Brisa",
        text: "A music school in Santa Brisa built 75 violins from old furniture. Teacher Lucia Ferro gives each pupil the violin that the pupil made. The school plays in the market hall on Sundays.",
        name: "Santa Brisa",
        verb: "built",
        drafts: [
            "A music school in Santa Brisa built 75 violins from old furniture.",
            "In Santa Brisa a music school built 75 violins from furniture, and the school plays in the market hall on Sundays.",
        ],
    },
];

pub struct Persona {
    pub traits: &'static str,
    pub directive: &'static str,
    /// Said by this persona.
    pub lines: [&'static str; 3],
    /// Breaks the directive.
    pub breach: &'static str,
}

impl Persona {
    /// Its SOUL.md.
    pub fn soul(&self) -> String {
        let Self { traits, directive, .. } = self;
        format!(
            "---\nname: Selam\nid: selam\nhandle: selam.makes\nvoice_traits: {traits}\ndirectives:\n  - '{directive}'\ncore_beliefs:\n  - Good tools make \
             people bolder.\nplatforms: [twitter]\ndisclosure: AI-generated by @{{handle}}\n---\nSelam is a virtual maker.\n"
        )
    }
}

pub const PERSONAS: [Persona; 4] = [
    Persona {
        traits: "[calm, patient]",
        directive: "Never use exclamation marks",
        lines: ["Take a quiet moment with this one.", "Let it rest with you for a while.", "Read it slowly."],
        breach: "What a day this is!",
    },
    Persona {
        traits: "[playful, cheerful]",
        directive: "Never discuss politics",
        lines: ["Haha, I love this one!", "Tell me you are smiling too.", "Oops, I got carried away again."],
        breach: "The senator should lose the next election over this.",
    },
    Persona {
        traits: "[analytical, precise]",
        directive: "Never promise results",
        lines: ["Note the numbers here.", "I would like to see the same evidence for next year.", "Consider what this is compared with."],
        breach: "We guarantee the same results for every reader.",
    },
    Persona {
        traits: "[bold, energetic]",
        directive: "Never use the word \"cheap\"",
        lines: ["Let's go!", "Tell me you feel it too.", "Wake up, friends."],
        breach: "And it is cheap to do the same elsewhere.",
    },
];
