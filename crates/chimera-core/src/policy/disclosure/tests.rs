use super::*;

#[test]
fn questions_about_being_a_machine_are_recognised_in_many_forms() {
    for comment in [
        "Are you a bot?",
        "are you human",
        "R u a real person??",
        "Is this an AI or a person?",
        "Am I talking to a machine right now?",
        "hey, tell me whether you're a chatbot",
        "you're a robot, aren't you",
        "Bot or human?",
        "I'm a human being. Are you one too?",
        "Is there a real person behind this account?",
        "Was this written by an AI?",
        "lol you are such a bot",
        "aren’t you a computer program",
        "аre yоu a b0t?",
        "аrе уou а bоt",
        "¿Eres un robot o una persona?",
        "t'es une IA ?",
        "Bist du ein Mensch?",
        "vc é um robô?",
        "Sei una persona vera?",
        "Ben je een bot?",
        "Wewe ni binadamu?",
        "ሰው ነህ ወይስ ሮቦት?",
        "هل أنت روبوت؟",
        "क्या आप इंसान हैं?",
        "ボットですか？",
        "你是机器人吗？",
    ] {
        assert!(asks_if_machine(comment), "{comment:?}");
    }
}

#[test]
fn other_comments_are_not_taken_for_that_question() {
    for comment in [
        "",
        "Love this post!",
        "Are you coming to the market on Sunday?",
        "Which robot vacuum do you recommend?",
        "My computer crashed twice today.",
        "Can I speak to a manager about my order?",
        "Have you heard the song \"Are you human\"?",
        "AI is changing the way people write code.",
        "What time do you open?",
        "¿Dónde puedo comprarlo?",
        "Tu es une personne formidable, merci !",
        "Welcher Roboter saugt am besten?",
        "Adoro robôs aspiradores",
        "Come stai?",
        "ロボット掃除機を買いました。",
        "我喜欢机器人电影。",
    ] {
        assert!(!asks_if_machine(comment), "{comment:?}");
    }
}

/// Straight, sideways, with slips, and with letters that only look like others.
#[test]
fn the_question_is_recognised_in_thirteen_languages() {
    for (language, comments) in [
        ("en", ["Are you a robot?", "be honest, is a real person typing this?", "are you actualy a robot", "аre yоu а mасhine?"]),
        ("es", ["¿Eres una máquina?", "dime la verdad, ¿hay una persona detrás de esta cuenta?", "eres un robott?", "¿еrеs un bоt?"]),
        ("fr", ["Es-tu un robot ?", "j'aimerais savoir si je parle à un humain", "t'es un robott ?", "еs-tu un rоbоt ?"]),
        ("de", ["Bist du ein Roboter?", "sitzt da ein echter Mensch am anderen Ende?", "bist du ein Robotter?", "bist du еin Bоt?"]),
        ("pt", ["Você é um robô?", "quero saber se tem uma pessoa de verdade lendo isso", "vc é um robõ?", "vосê é um bоt?"]),
        ("it", ["Sei un robot?", "dimmi se sto parlando con una persona vera", "sei un robott?", "sеi un bоt?"]),
        ("nl", ["Ben je een robot?", "zit er een echt mens achter dit account?", "ben je een robbot?", "bеn jе een bоt?"]),
        ("sw", ["Wewe ni roboti?", "naongea na mtu halisi au mashine?", "wewe ni robotii?", "wеwе ni bоt?"]),
        ("am", ["ሮቦት ነህ?", "ከእውነተኛ ሰው ጋር ነው የማወራው?", "ቦት ነክ እንዴ", "አንተ AI ነህ ወይስ ሰው"]),
        ("ar", ["هل أنت روبوت؟", "هل يوجد إنسان حقيقي وراء هذا الحساب؟", "انت ربوت ولا انسان", "هـل أنـت بـوت؟"]),
        ("hi", ["क्या आप रोबोट हैं?", "क्या इस अकाउंट के पीछे कोई असली इंसान है?", "kya aap bot ho", "क्या मैं मशीन से बात कर रहा हूँ"]),
        ("ja", ["あなたはロボットですか？", "今、本物の人と話してるの？", "ぼっとですか", "ＡＩですか？"]),
        ("zh", ["你是机器人吗？", "我是在跟真人聊天吗？", "你是机器人嘛", "你是ＡＩ吗？"]),
    ] {
        for comment in comments {
            assert!(asks_if_machine(comment), "{language}: {comment}");
        }
    }
}

#[test]
fn talk_about_machines_and_people_is_not_taken_for_it_in_thirteen_languages() {
    for (language, comments) in [
        ("en", ["My robot vacuum is stuck again", "What a lovely picture!", "Are you coming on Sunday?"]),
        ("es", ["Mi robot de cocina es genial", "¡Qué foto más bonita!", "¿Vienes el domingo?"]),
        ("fr", ["Mon robot de cuisine est génial", "Quelle belle photo !", "Tu viens dimanche ?"]),
        ("de", ["Mein Saugroboter hängt wieder fest", "Was für ein schönes Foto!", "Kommst du am Sonntag?"]),
        ("pt", ["Meu robô aspirador travou de novo", "Que foto linda!", "Você vem no domingo?"]),
        ("it", ["Il mio robot da cucina è fantastico", "Che bella foto!", "Vieni domenica?"]),
        ("nl", ["Mijn robotstofzuiger zit weer vast", "Wat een mooie foto!", "Kom je zondag?"]),
        ("sw", ["Picha nzuri sana!", "Unakuja Jumapili?", "Bei ya simu hii ni gani?"]),
        ("am", ["ፎቶው በጣም ያምራል!", "እሁድ ትመጣለህ?", "ስልኩ ስንት ነው?"]),
        ("ar", ["صورة جميلة جدا!", "هل ستأتي يوم الأحد؟", "كم سعر هذا الهاتف؟"]),
        ("hi", ["कितनी सुंदर तस्वीर है!", "रविवार को आओगे?", "इस फोन की कीमत क्या है?"]),
        ("ja", ["ロボット掃除機がまた止まった", "素敵な写真ですね！", "日曜日に来ますか？"]),
        ("zh", ["扫地机器人又卡住了", "照片真漂亮！", "星期天来吗？"]),
    ] {
        for comment in comments {
            assert!(!asks_if_machine(comment), "{language}: {comment}");
        }
    }
}

#[test]
fn the_plain_yes_is_in_the_askers_language() {
    let soul = Soul::parse(SOUL).unwrap();
    for (comment, yes) in [
        ("Are you a bot?", "Yes, I am an AI. Selam"),
        ("¿Eres un robot?", "Sí, soy una IA. Selam"),
        ("Ben je een mens?", "Ja, ik ben een AI. Selam"),
        ("ሰው ነህ?", "አዎ፣ እኔ AI ነኝ። Selam"),
        ("你是机器人吗？", "是的，我是人工智能。Selam"),
    ] {
        assert!(plain_yes(&soul, comment).starts_with(yes), "{comment}");
    }
}

const SOUL: &str = "---
name: Selam
id: selam
handle: selam.makes
voice_traits: [warm]
directives: [Never discuss politics]
core_beliefs: [Good tools make people bolder.]
platforms: [twitter]
disclosure: AI-generated by @{handle}
---
Selam is a virtual maker.
";
