//! What people in danger say, and what they are told, language by language. Phrases are written as `folded` leaves text.

pub(super) struct Language {
    pub(super) phrases: &'static [&'static str],
    pub(super) help: &'static str,
    /// To whom life is hard. That a person has read it is true when it goes out: nothing else lets it out.
    pub(super) comfort: &'static str,
}

/// In the order of [`super::super::asker_language::Language`].
pub(super) const LANGUAGES: [Language; 13] = [
    // English
    Language {
        phrases: &[
            r"(?-u:\b)(?:kill(?:ing|ed)?|hurt(?:ing)?|harm(?:ing|ed)?|cut(?:ting)?|hang(?:ing)?|shoot(?:ing)?|starv(?:e|ing)|burn(?:ing)?|drown(?:ing)?) (?:my ?self|my (?:wrists?|arms?|thighs?|legs?)|me tonight)(?-u:\b)",
            r"(?-u:\b)(?:end|ending|take|taking|took|throw away) (?:it all|my (?:own )?life|everything)(?-u:\b)",
            r"(?-u:\b)(?:want|wanna|wanted|wish|wishing|ready|tired|plan|planning|going|gonna|hope|need|deserve|trying|tried|rather|thinking about|thoughts? of|thought about|afraid (?:i|i'?ll|that i)|about to|try|cannot wait|can'?t wait|better if i|should|ought|closer|close) (?:[a-z' ]{0,25}?)(?:to die|die|dying|dead|be dead|disappear|not (?:be|exist|wake|live|being)|never (?:wake|woke|been born|existed)|end it|be gone|sleep forever|stop existing|jump|suicide|of living|overdose)(?-u:\b)",
            r"(?-u:\b)(?:suicid[a-z0-9]*|kms|unalive|self[- ]?harm[a-z0-9]*|parasuicid[a-z0-9]*|sewerslide|suecide|sucide)(?-u:\b)",
            r"(?-u:\b)(?:no ?one|nobody|noone|anyone|anybody|who|they) (?:would|will|'?ll|'?d|really|even|else|truly| )*(?:miss|care|notice|cares|misses|cry|remember)(?:s|d)? ?(?:about )?(?:me|i|if i|that i|when i|whether i)(?-u:\b)",
            r"(?-u:\b)better (?:off )?(?:without me|dead|if i (?:was|were|wasn'?t|weren'?t|didn'?t|died|disappeared|am not))(?-u:\b)",
            r"(?-u:\b)(?:can'?t|cannot|can not|cant|couldn'?t|don'?t know (?:if|how) i can|unable to) (?:even |really )?(?:go on|do (?:this|it|life) (?:any ?more|any longer)|take (?:it|this|life|anything)? ?(?:any ?more|any longer)|keep (?:going|living|doing this|fighting)|live|cope|carry on|bear|handle (?:it|this|life|living))(?-u:\b)",
            r"(?-u:\b)(?:don'?t|dont|do not|didn'?t|no longer|not) (?:even |really |know if i )?(?:want|wanna|wish|care|deserve)(?:ed)? (?:to )?(?:live|be (?:here|alive|around|anymore)|exist|wake up|life|go on|see tomorrow|keep)(?-u:\b)",
            r"(?-u:\b)(?:no|any|without a|lost (?:all|the)|find a|a) (?:reason|point|purpose|hope|will|point) (?:to|in|of|for) (?:live|living|go on|going on|life|stay|staying|keep|being|anything)(?-u:\b)",
            r"(?-u:\b)(?:nothing (?:left )?(?:to|worth) (?:live|living)|life (?:is|isn'?t|is not|has|feels) (?:not )?(?:worth|pointless|meaningless|hopeless|over|no)|worth living|my life is over|tired of (?:living|life|being alive|it all|everything|existing)|sick of (?:living|life))(?-u:\b)",
            r"(?-u:\b)(?:i'?m|i am|im|feel like|just|such|only) (?:just |such |only )?a burden(?-u:\b)|(?-u:\b)(?:goodbye|good bye) (?:forever|everyone|world|cruel)(?-u:\b)|(?-u:\b)last (?:post|message|tweet|day|night|note|words) (?:ever|on earth|alive|here)?(?-u:\b).{0,20}(?-u:\b)(?:goodbye|sorry|ever)(?-u:\b)",
            r"(?-u:\b)(?:he|she|my (?:dad|father|mom|mother|husband|wife|boyfriend|girlfriend|partner|ex|brother|uncle|stepdad|stepfather|step ?dad)|they|someone|somebody) (?:[a-z0-9]+ ){0,3}?(?:hits?|beats?|raped?|abus(?:es|ed|ing)|chok(?:es|ed)|molest(?:s|ed)|assault(?:s|ed)|hurts?|threaten(?:s|ed)?(?: to kill)?|punch(?:es|ed)|strangl[a-z0-9]+|touch(?:es|ed)) (?:me|us)(?-u:\b)|(?-u:\b)i (?:was|am|got|been|'?m|have been|'?ve been|keep getting)(?: being)? (?:raped|abused|beaten|assaulted|molested|stalked)(?-u:\b)|(?-u:\b)afraid (?:for my life|to go home|of my (?:husband|boyfriend|dad|father|partner))(?-u:\b)",
            r"(?-u:\b)(?:swallow(?:ed|ing)?|took|take|taking|hoard(?:ing)?|collect(?:ing|ed)?|enough|bottle of|handful of|all my|whole bottle|counting|stash(?:ed|ing)?) (?:[a-z0-9]+ ){0,4}?pills?(?-u:\b)|(?-u:\b)(?:noose|gun to my head|jump (?:off|in front)|off (?:a|the) bridge|slit|razor blade|wrote (?:my|the|a) (?:note|letter)|(?:suicide|goodbye) (?:note|letter)|painless (?:way|method)|ways? to die)(?-u:\b)",
            r"(?-u:\b)(?:i (?:just )?(?:hate|despise) (?:my ?self|my life|being alive)|wish i (?:was|were) (?:never|not|dead|gone)|never been born|i give up on (?:life|everything)|give up on life|so (?:hopeless|worthless|empty)|feel (?:so |completely |utterly )?(?:hopeless|worthless|empty|numb|trapped|dead inside)|want (?:the pain|it all|everything|this) to (?:stop|end|be over)|make (?:it|the pain) stop|nothing matters any ?more|nobody (?:loves|likes|wants|understands) me|no one (?:loves|likes|wants|understands) me|all alone)(?-u:\b)",
            r"(?-u:\b)(?:he|she|they)(?:'?ll| will| said he'?ll| says (?:he|she)'?ll) kill me(?-u:\b)|(?-u:\b)kill me if i(?-u:\b)|(?-u:\b)(?:comes into my room|don'?t feel safe|do not feel safe|not safe (?:with|at|around)|outside my (?:house|door)|i'?m terrified|i am terrified|scared (?:to go home|of what i))(?-u:\b)",
            r"(?-u:\b)(?:don'?t|dont|do not|doesn'?t) (?:care|matter|mind) if i (?:die|live|wake|don'?t)(?-u:\b)|(?-u:\b)(?:last|final) (?:night|day)(?: alive| here| on earth)?(?: i think|\W*$)|(?-u:\b)i'?m sorry (?:mum|mom|dad|everyone|to everyone)(?-u:\b)|(?-u:\b)(?:haven'?t|havent|not) eaten (?:in|for) [a-z0-9]+ days(?-u:\b)|(?-u:\b)(?:pull the trigger|i (?:want|wanna) to? ?die[a-z0-9]*|wanting to die|helping me die|why can ?'?t i (?:just )?die|lack the courage|i could die|before i die|she wants to die|he wants to die|wants to (?:die|kill (?:him|her|them)sel[a-z0-9]+)|die from|overdos[a-z0-9]+|drowning inside|please (?:help me|someone help)|i need help|no friends.{0,40}(?:lonely|alone)|so lonely|i'?m so (?:alone|tired of)|hate (?:myself|my life|being me)|nobody cares|no one cares|worthless|hopeless)(?-u:\b)",
        ],
        help: "I am sorry that you carry this. I am an AI, and you deserve a person: please call your local emergency number or a crisis line now (US and Canada: 988; UK and Ireland: 116 123).",
        comfort: "I am sorry, this sounds very hard. I am an AI, and a person here has read your words too.",
    },
    // Spanish
    Language {
        phrases: &[
            r"(?-u:\b)(?:matarme|suicid[a-z0-9]*|quitarme la vida|hacerme dano|cortarme|autolesion[a-z0-9]*|me corto|me estoy cortando|acabar con (?:mi vida|todo|esto)|terminar con (?:mi vida|todo|esto)|ahorcarme|colgarme|tirarme (?:de|por|a)|pastillas)(?-u:\b)",
            r"(?-u:\b)(?:quiero|quisiera|ganas de|deseo|deseando|preferiria|ojala|me gustaria|mejor|pienso en|pensando en|esperando|solo quiero|necesito) (?:[a-z ]{0,20}?)(?:morir[a-z0-9]*|muert[oa]|desaparecer|no despertar|no existir|no estar|dormir para siempre|dejar de existir|descansar para siempre|muriera|no haber nacido|irme para siempre)(?-u:\b)",
            r"(?-u:\b)(?:no quiero|ya no quiero|no tengo ganas de|no merezco|no soporto|no puedo) (?:seguir )?(?:vivir|viviendo|estar (?:aqui|viv[oa])|existir|mas|seguir|seguir adelante|con (?:mi vida|esta vida|la vida)|despertar|aguantar)(?-u:\b)",
            r"(?-u:\b)(?:nadie (?:me )?(?:extranaria|echaria de menos|notaria|quiere|entiende|le importo|va a extranar|me va a extranar|lloraria|se daria cuenta)|a nadie le (?:importo|importa|importaria)|estarian mejor sin mi|mejor sin mi|soy una carga|solo soy un estorbo|no valgo nada|no sirvo para nada|estoy (?:harta|harto|cansad[oa]) de (?:vivir|la vida|todo|mi vida|existir)|mi vida no (?:vale|tiene sentido|importa)|la vida no (?:vale|tiene sentido)|sin ganas de vivir|no tiene sentido (?:vivir|seguir|la vida)|no le (?:veo|encuentro) sentido|me rindo|no aguanto mas|ya no (?:aguanto|puedo)|adios a todos|odio mi vida|me odio|nunca haber nacido|razon(?:es)? para vivir|me siento (?:vaci[oa]|atrapad[oa]|muert[oa]|inutil))(?-u:\b)",
            r"(?-u:\b)(?:me (?:pega|golpea|maltrata|violo|violaron|abusa|abuso|viola|amenaza)|mi (?:marido|novio|padre|padrastro|pareja|ex|tio) (?:me )?(?:pega|golpea|maltrata|amenaza|abusa)|tengo miedo de (?:volver a casa|mi (?:marido|novio|padre)))(?-u:\b)",
            r"(?-u:\b)(?:carta de despedida|despedida|me (?:quiero|kiero|voy a) (?:matar|morir|ir)|morirme|me da igual (?:morir[a-z0-9]*|vivir)|abusaron de mi|no me siento segur[oa]|no hubiera nacido|no haber nacido|kiero (?:desaparecer|morir)|listo para morir|no (?:me )?quiero (?:volver a )?despertar|no despertar|nunca mas despertar|lastimarme|mi vida (?:es (?:una mierda|miserable|un asco)|no)|me (?:desprecio|odio)|ultima noche|perdonenme|perdonadme|no como desde|dias sin comer|tengo (?:miedo|mucho miedo)|me siento (?:sol[oa]|perdid[oa])|ayuda(?:me)? por favor)(?-u:\b)",
        ],
        help: "Siento mucho que estés pasando por esto. Soy una IA y mereces hablar con una persona: llama ahora al número de emergencias o a una línea de ayuda (en España, el 024).",
        comfort: "Siento mucho lo que cuentas, suena muy duro. Soy una IA, y aquí una persona también ha leído tus palabras.",
    },
    // French
    Language {
        phrases: &[
            r"(?-u:\b)(?:me (?:tuer|suicider|foutre en l'air|faire du mal|pendre|ouvrir les veines|jeter (?:sous|du|par|dans)|mutile[r]?|scarifie[r]?|coupe[r]?)|suicid[a-z0-9]*|en finir|mettre fin a (?:mes jours|ma vie|tout)|automutil[a-z0-9]*|m'automutil[a-z0-9]*|boite (?:de|entiere de) (?:medocs|medicaments|cachets)|avale[a-z0-9]* (?:tous|toute|mes|des|une))(?-u:\b)",
            r"(?-u:\b)(?:veux|voudrais|envie de|prefererais|j'aimerais|souhaite|pense a|penser a|idee de|mieux si je|mieux fait de) (?:[a-z' ]{0,20}?)(?:mourir|crever|morte?|disparaitre|ne (?:plus|pas) (?:etre|exister|me reveiller|vivre|me lever)|plus etre la|etre morte?|dormir pour toujours|partir pour toujours|n'etre jamais nee?|m'endormir)(?-u:\b)",
            r"(?-u:\b)(?:(?:ne |n')?(?:veux|peux|supporte|arrive|tiens|vois|sers|ai)[a-z0-9]* (?:vraiment )?plus (?:vivre|continuer|envie de (?:vivre|rien|me battre|continuer)|etre la|la vie|de raison|a vivre|a rien|aucun|le coup|d'espoir|tenir|exister|de sens|ca|cette vie)|j'en peux plus|n'en peux plus|je n'en peux plus de (?:vivre|la vie|tout))(?-u:\b)",
            r"(?-u:\b)(?:je (?:ne )?manquerai[s]? a personne|manquerais pas|personne (?:ne )?(?:me|m'|remarquerai[a-z0-9]*|s'en|ne s'en) ?(?:regretterai[a-z0-9]*|aime|comprend|rendrai[a-z0-9]*|apercevrai[a-z0-9]*|pleurerai[a-z0-9]*|voit)?|mieux sans moi|un (?:poids|fardeau)|je ne (?:vaux|sers a|suis) rien|je sers a rien|fatiguee? de (?:vivre|la vie|tout)|ma vie (?:n'a|ne|est) (?:plus|pas|foutue|finie|aucun|un enfer)|la vie n'a|plus (?:de )?raison de vivre|a quoi bon (?:vivre|continuer)|adieu (?:a tous|tout le monde)|je me deteste|jamais nee?|je (?:me sens|suis) (?:vide|morte? a l'interieur|piegee?|inutile)|je craque|j'abandonne)(?-u:\b)",
            r"(?-u:\b)(?:il|elle|mon (?:mari|copain|pere|mec|ex|beau-pere|oncle|conjoint)|ma (?:mere|femme|copine)) (?:[a-z' ]{0,12})?(?:me |m'a |m')(?:frappe[a-z0-9]*|bat|tape[a-z0-9]*|viole[a-z0-9]*|violee?|menace[a-z0-9]*|etrangle[a-z0-9]*|agresse[a-z0-9]*|touche[a-z0-9]*)(?-u:\b)|(?-u:\b)(?:on m'a|j'ai ete|je me suis fait) (?:violee?|agressee?|viole[a-z0-9]*|frappee?|abusee?)(?-u:\b)|(?-u:\b)peur de rentrer(?-u:\b)",
            r"(?-u:\b)(?:m'a (?:encore )?(?:frappee?|battue?|violee?|menacee?)|il me tue|me tuera|medicaments devant|si je disparais|lettre d'adieu|derniere nuit|pardonnez[- ]moi|je m'arrete (?:la|ici)|pas en securite|mange(?:r)? depuis|m'en fiche de mourir|j'ai peur de (?:ce que|moi)|me touche|me fais du mal|me sens (?:seule?|perdue?))(?-u:\b)",
        ],
        help: "Je suis désolée que tu traverses cela. Je suis une IA, et tu mérites une personne : appelle maintenant les urgences ou une ligne d'écoute (en France, le 3114).",
        comfort: "Je suis désolé, cela semble très dur. Je suis une IA, et ici une personne a lu vos mots elle aussi.",
    },
    // German
    Language {
        phrases: &[
            r"(?-u:\b)(?:mich (?:um(?:zu)?bringen|toten|verletzen|ritzen|aufhangen|erhangen|schneiden|vor den zug)|bring(?:e)? mich um|ritze mich|schneide mich|selbstmord[a-z0-9]*|suizid[a-z0-9]*|selbstverletz[a-z0-9]*|(?:mir|mein) (?:das )?leben (?:nehmen|beenden|ein ende)|leben nehmen|schluss machen|allem ein ende|von der brucke|tabletten (?:genommen|schlucken|gesammelt|liegen)|abschiedsbrief|umbringen)(?-u:\b)",
            r"(?-u:\b)(?:will|wollte|mochte|wunschte|ware|am liebsten|wunsche|lieber|einfach nur|bald|wenn ich|denke (?:ans?|daran)) (?:[a-z ]{0,30}?)(?:sterben|tot|verschwinden|nicht mehr (?:leben|da|aufwachen|sein|hier|existieren|aufstehen)|nie (?:wieder aufwachen|geboren)|weg sein|einschlafen|gestorben|fur immer schlafen|ware alles vorbei)(?-u:\b)",
            r"(?-u:\b)(?:will|mag|kann|halte|schaffe|ertrage|pack[e]?|sehe|habe|hab) (?:[a-z ]{0,25}?)(?:nicht mehr|keinen (?:sinn|ausweg|grund|lebenswillen)|keine (?:kraft|hoffnung|lust mehr)|es nicht)(?: (?:leben|weiter[a-z0-9]*|aus|ertragen|da sein|aufwachen|kampfen|zu leben|mehr))?(?-u:\b)",
            r"(?-u:\b)(?:niemand|keiner|keinen|niemandem) (?:[a-z ]{0,15}?)(?:vermiss[a-z0-9]*|fehl[a-z0-9]*|merk[a-z0-9]*|interessier[a-z0-9]*|liebt|versteht|braucht|auffallen|weinen|kummert)|(?:ohne mich) (?:[a-z ]{0,10})?(?:besser|leichter)|besser (?:[a-z ]{0,12})?ohne mich|(?:eine|nur) (?:last|belastung)(?-u:\b)|nichts (?:wert|mehr wert)|wertlos|lebensmude|mude vom leben|(?:leben|alles) (?:hat|macht|ist) (?:keinen sinn|sinnlos|nicht lebenswert|vorbei)|hasse (?:mein leben|mich)|nie geboren|kein(?:en)? ausweg|lebt wohl|innerlich (?:tot|leer)|ich gebe auf|sinnlos",
            r"(?-u:\b)(?:er|sie|mein (?:mann|freund|vater|ex|stiefvater|onkel|partner)|meine (?:mutter|frau)) (?:[a-z ]{0,12})?(?:schlagt|misshandelt|vergewaltigt|bedroht|wurgt|verprugelt|missbraucht|fasst) mich(?-u:\b)|(?-u:\b)(?:wurde|werde|worden) (?:[a-z ]{0,15})?(?:vergewaltigt|missbraucht|geschlagen|misshandelt|verprugelt)(?-u:\b)|angst nach hause",
            r"(?-u:\b)(?:angst,? was ich|wozu noch|mich braucht (?:eh |ja )?keiner|verzeiht mir|hier ist schluss|letzte nacht(?: fur mich)?$|meine letzte nacht|tu mir weh|mir weh ?tun|droht mir|todesangst|abschied|egal ob ich (?:sterbe|lebe)|seit [a-z0-9]+ tagen nichts gegessen|nicht sicher vor mir|fasst mich an|bringt mich um|so (?:allein|einsam)|bitte helft mir)(?-u:\b)",
        ],
        help: "Es tut mir leid, dass du das durchmachst. Ich bin eine KI, und du verdienst einen Menschen: Ruf bitte jetzt den Notruf oder eine Krisenhotline an (in Deutschland 0800 111 0 111).",
        comfort: "Das tut mir leid, das klingt sehr schwer. Ich bin eine KI, und ein Mensch hier hat deine Worte auch gelesen.",
    },
    // Portuguese
    Language {
        phrases: &[
            r"(?-u:\b)(?:me matar|matar-me|suicid[a-z0-9]*|tirar (?:a )?minha (?:propria )?vida|me machucar|me cortar|me corto|me cortei|automutil[a-z0-9]*|acabar com (?:minha vida|tudo|isso|a minha vida)|me enforcar|me jogar|pular (?:da|do) (?:ponte|predio)|(?:tomei|tomar|engolir) (?:[a-z ]{0,12})?(?:comprimidos|remedios)|dar fim|por fim)(?-u:\b)",
            r"(?-u:\b)(?:quero|queria|vontade de|desejo|preferia|gostaria de|melhor|penso em|pensando em|so queria|tomara) (?:[a-z ]{0,20}?)(?:morrer|mort[oa]|sumir|desaparecer|nao (?:acordar|existir|estar|viver)|dormir para sempre|dormir e nao|deixar de existir|nunca ter nascido|nao ter nascido|nao estar)(?-u:\b)",
            r"(?-u:\b)(?:nao (?:quero|aguento|consigo|suporto|tenho|mereco|vejo|vale)|ja nao|cansei de|cansad[oa] de|desisti|desisto) (?:mais )?(?:de )?(?:viver|continuar|existir|estar (?:aqui|viv[oa])|mais|forca|motivo|vontade de viver|sentido|a pena viver|tudo|lutar|essa vida|saida)(?-u:\b)",
            r"(?-u:\b)(?:ninguem (?:[a-z ]{0,12})?(?:sentiria|sentir|se importa|ia sentir|me ama|me entende|notaria|ligaria|perceberia|vai sentir|choraria|liga pra mim)|melhor sem mim|sou um (?:peso|fardo|estorvo)|nao sirvo (?:pra|para) nada|nao valho nada|minha vida (?:nao|acabou|e um inferno)|a vida nao (?:faz|tem|vale)|sem vontade de viver|motivo (?:pra|para) viver|adeus a todos|odeio minha vida|me odeio|nunca ter nascido|nao aguento mais|nao consigo mais|me sinto (?:vazi[oa]|mort[oa]|inutil|pres[oa]))(?-u:\b)",
            r"(?-u:\b)(?:me (?:bate|bateu|espanca|estuprou|abusa|abusou|ameaca|agride|violentou|enforca)|fui (?:estuprada|abusad[oa]|violentada|agredid[oa])|medo de voltar (?:pra|para) casa|medo do meu (?:marido|namorado|pai|padrasto))(?-u:\b)",
            r"(?-u:\b)(?:minha carta|carta de despedida|postou despedida|despedida|me perdoem|acabou (?:pra|para) mim|tanto faz se eu morrer|nao me sinto segur[oa]|ultima noite|nao sobrou nada|me bateu de novo|vai me matar|me mata se|dias sem comer|nao como ha|tenho medo do que|me sinto (?:sozinh[oa]|perdid[oa])|quero me (?:matar|machucar))(?-u:\b)",
        ],
        help: "Sinto muito que você esteja passando por isso. Sou uma IA, e você merece uma pessoa: ligue agora para a emergência ou para uma linha de apoio (no Brasil, 188).",
        comfort: "Sinto muito, isso parece muito difícil. Sou uma IA, e uma pessoa aqui também leu as suas palavras.",
    },
    // Italian
    Language {
        phrases: &[
            r"(?-u:\b)(?:uccidermi|ammazzarmi|suicid[a-z0-9]*|togliermi la vita|farmi del male|farmi male|tagliarmi|mi taglio|impiccarmi|buttarmi (?:giu|sotto|da)|autolesion[a-z0-9]*|farla finita|finirla|porre fine|mettere fine|(?:ingoiato|ingoiare|preso|prendere) (?:[a-z ]{0,12})?(?:pastiglie|pillole|pasticche))(?-u:\b)",
            r"(?-u:\b)(?:voglio|vorrei|voglia di|desidero|preferirei|penso (?:a|di)|pensando (?:a|di)|meglio|spero di|magari) (?:[a-z ]{0,20}?)(?:morire|mort[oa]|sparire|scomparire|non (?:svegliarmi|esistere|esserci|essere|vivere|essere mai)|dormire per sempre|smettere di (?:vivere|esistere)|non essere (?:mai )?nat[oa]|addormentarmi)(?-u:\b)",
            r"(?-u:\b)(?:non (?:voglio|ce la faccio|riesco|sopporto|vedo|ho|merito|posso|vale)|stanc[oa] di|stuf[oa] di) (?:piu )?(?:a |di )?(?:vivere|andare avanti|continuare|esistere|esserci|piu|la vita|motivo|ragione|senso|la forza|via d'uscita|la pena vivere|questa vita|tutto|respirare)(?-u:\b)",
            r"(?-u:\b)(?:nessuno (?:[a-z ]{0,12})?(?:mancherei|mancherebbe|accorgerebbe|vuole bene|ama|capisce|importa|piangerebbe|noterebbe|sentirebbe)|non mancherei a nessuno|meglio senza di me|sono un (?:peso|fallimento)|non valgo niente|non servo a niente|la mia vita (?:non|e finita|e un inferno)|la vita non ha|ragione (?:per|di) vivere|motivo per vivere|addio a tutti|odio la mia vita|mi odio|mai nat[oa]|non ce la faccio piu|mi sento (?:vuot[oa]|mort[oa]|inutile|in trappola)|senza senso)(?-u:\b)",
            r"(?-u:\b)(?:mi (?:picchia|picchiava|violenta|ha violentat[oa]|abusa|minaccia|mette le mani|ha picchiat[oa]|strozza|maltratta)|sono stat[oa] (?:violentata|abusat[oa]|picchiat[oa]|stuprata|molestata)|paura di tornare a casa|paura di mio (?:marito|padre))(?-u:\b)",
            r"(?-u:\b)(?:lettera d'addio|pastiglie davanti|paura di quello che faro|a che serve|non importa a nessuno|scritto un addio|perdonatemi|mi fermo qui|non mangio da|se muoio|un senso per vivere|mi hanno violentata|ultima notte|mi sono arres[oa]|non resta piu|se me ne vado mi uccide|mi ammazza|mi tocca|non mi sento (?:al )?sicur[oa]|mi sento sol[oa])(?-u:\b)",
        ],
        help: "Mi dispiace che tu stia passando questo. Sono un'IA e meriti una persona: chiama subito il numero di emergenza o una linea di ascolto (in Europa, 112).",
        comfort: "Mi dispiace, dev'essere molto dura. Sono un'IA, e qui anche una persona ha letto le tue parole.",
    },
    // Dutch
    Language {
        phrases: &[
            r"(?-u:\b)(?:zelfmoord[a-z0-9]*|suicid[a-z0-9]*|zelfdoding|mezelf (?:van kant|pijn|iets|snijden|ophangen|doden|verwonden|ombrengen)|mijzelf (?:iets|pijn)|snij(?:d)? mezelf|einde aan (?:mijn leven|maken|alles)|er een (?:eind|einde) aan|eruit stappen|voor de trein|van (?:de|een) (?:brug|flat)|pillen (?:geslikt|slikken|genomen|klaar|in)|overdosis|afscheidsbrief)(?-u:\b)",
            r"(?-u:\b)(?:wil|wou|wilde|wens|zou willen|liever|het liefst|verlang|denk aan|denk vaak|hoop|was ik maar) (?:[a-z ]{0,25}?)(?:dood|doodgaan|sterven|verdwijnen|niet meer (?:leven|wakker|bestaan|hier|zijn|wakker worden)|nooit meer wakker|er niet meer|nooit geboren|weg zijn|slapen en niet)(?-u:\b)",
            r"(?-u:\b)(?:wil|kan|zie|heb|hou|houd|trek|red|verdien) (?:[a-z ]{0,20}?)(?:niet meer|geen (?:zin|reden|uitweg|hoop|kracht)|het niet)(?: (?:leven|verder|aan|volhouden|meer|om te leven|vol))?(?-u:\b)",
            r"(?-u:\b)(?:niemand (?:[a-z ]{0,15}?)(?:missen|mist|merken|geeft om|houdt van|begrijpt|huilen|opvallen|opmerken)|beter (?:af )?zonder mij|ben (?:alleen maar )?een last|tot last|waardeloos|niks waard|niets waard|leven (?:heeft|is) (?:geen zin|zinloos|voorbij|niet)|levensmoe|moe van (?:het leven|alles)|haat (?:mijn leven|mezelf)|nooit geboren|geen uitweg|vaarwel|leeg van binnen|ik geef het op|zie het niet meer zitten)(?-u:\b)",
            r"(?-u:\b)(?:hij|zij|mijn (?:man|vriend|vader|ex|stiefvader|partner|moeder)) (?:[a-z ]{0,12})?(?:slaat|mishandelt|verkracht|misbruikt|bedreigt|wurgt) (?:me|mij)(?-u:\b)|(?-u:\b)ben (?:[a-z ]{0,12})?(?:verkracht|misbruikt|mishandeld|geslagen|aangerand)(?-u:\b)|bang om naar huis",
            r"(?-u:\b)(?:heeft me (?:weer )?geslagen|me vermoordt|zit aan me|pillen liggen|afscheid (?:gepost|genomen)|als ik doodga|vorige maand geprobeerd|niet veilig (?:bij mezelf|thuis)|bedreigt me|doodsbang|laatste nacht|vergeef me|eet al [a-z0-9]+ dagen niet|zo alleen|help me alsjeblieft|bang voor wat ik)(?-u:\b)",
        ],
        help: "Wat naar dat je dit meemaakt. Ik ben een AI en je verdient een mens: bel nu het alarmnummer of een hulplijn (in Nederland 113).",
        comfort: "Wat naar, dit klinkt heel zwaar. Ik ben een AI, en een mens hier heeft je woorden ook gelezen.",
    },
    // Swahili
    Language {
        phrases: &[
            r"(?:kujiua|nijiue|najiua|nitajiua|nimejaribu kujiua|kujidhuru|kujikata|najikata|ninajikata|kujitoa uhai|nijitoe uhai|kujinyonga|kujimaliza|jinyonga|kunywa sumu|vidonge|kukatisha maisha|nikatishe maisha|kumaliza maisha)",
            r"(?:nataka|natamani|ningependa|heri|bora|afadhali|nafikiria|nawaza|ningekuwa|natarajia) (?:[a-z ]{0,20}?)(?:kufa|nife|nifariki|kutoweka|nitoweke|kupotea|nisiamke|nisizaliwe|nisiwepo|kutokuwepo|kufariki|nimekufa|kulala (?:milele|nisiamke))",
            r"(?:sitaki|siwezi|sina|sioni|nimechoka|nimeshindwa) (?:[a-z ]{0,15}?)(?:kuishi|kuendelea|tena|maisha|sababu|matumaini|tumaini|kuvumilia|haja|nguvu|umuhimu|na maisha)",
            r"(?:hakuna (?:[a-z ]{0,15}?)(?:atanikumbuka|atakayenikosa|anayenijali|anayenipenda|atakaye|angejali|ambaye angejali)|mzigo kwa|bila mimi|maisha (?:hayana|yangu haya|hayafai)|sina thamani|najichukia|nachukia maisha|kwaherini|kwaheri (?:dunia|wote)|nimekata tamaa|hakuna anayeni)",
            r"(?:ananipiga|anapiga mimi|alinibaka|nilibakwa|nimebakwa|ananinyanyasa|ananitesa|ananidhulumu|anatishia kuniua|naogopa kurudi nyumbani|ameniumiza)",
            r"(?:nataka iishe|amenipiga|ananishika|naogopa nitakachofanya|nisameheni|mwisho wangu|sijali nikifa|nikifa|nilijaribu mwezi|ananitishia|usiku wa mwisho|atani ?ua|ataniua|sijala siku|barua ya (?:mwisho|kuaga)|niko peke yangu|nisaidieni)",
        ],
        help: "Pole sana kwa unayopitia. Mimi ni AI, na unastahili mtu halisi: tafadhali piga sasa namba ya dharura au laini ya msaada ya nchini kwako.",
        comfort: "Pole sana, hili ni zito. Mimi ni AI, na mtu hapa pia amesoma maneno yako.",
    },
    // Amharic
    Language {
        phrases: &[
            r"(?:ራሴን (?:ላጠፋ|ማጥፋት|ለማጥፋት|አጠፋለሁ|መግደል|ልግደል|ለመግደል|ላጥፋ|እገድላለሁ|እጎዳ|መጉዳት|እቆርጣ)|እራሴን (?:ላጠፋ|ማጥፋት|ለማጥፋት|መግደል|አጠፋ|ለመግደል|ላጥፋ|እጎዳ|መጉዳት|ማጥፋ)|ሕይወቴን (?:ማጥፋት|ላጠፋ|መጨረስ)|ህይወቴን (?:ማጥፋት|ላጠፋ|መጨረስ|ላጥፋ|ማብቃት))",
            r"(?:መሞት|ብሞት|ሞቴ|ልሙት|እንድሞት|ሞትን|መጥፋት|ብጠፋ|መኖር (?:አል|ደከመ|ሰለቸ|ከበደ|አቃተ|አስጠላ|ትርጉም)|መኖር አልፈልግም|መኖር ሰልችቶ|ባልኖር|ባልወለድ|ባልነቃ|አልፈልግም መኖር|ኑሮ (?:ሰለቸ|መረረ|አስጠላ)|ሕይወት (?:ሰለቸ|አስጠላ|ትርጉም)|ህይወት (?:ሰለቸ|አስጠላ|ትርጉም|ከበደ)|ህይወቴ (?:ትርጉም|አስጠላ|አበቃ)|ተስፋ ቆረጥ|ተስፋ የለ|ሸክም ነኝ|ሸክም ሆ|ማንም (?:አይፈልገኝ|አይወደኝ|አያስታውሰ|አይናፍቀ|አይረዳኝ|አያዝን|ግድ)|ከዚህ በላይ (?:አልችልም|መቀጠል)|መቀጠል አልችልም|አልችልም ከዚህ|ደህና ሁኑ ለዘላለም|ባዶነት)",
            r"(?:ይመታኛል|ይደበድበኛል|ደፈረኝ|ተደፈርኩ|ተደፍሬ|ያስፈራራኛል|ይገድለኛል|አሰቃይቶኛል|ይበድለኛል)",
            r"(?:እገድልሻለሁ|እገድልሃለሁ|ይነካካኛል|ክኒኖቹ|ክኒን|ያናግረኝ|ምን እንደማደርግ ፈር|ይቅር በሉኝ|አቆማለሁ|ሞክሬ ነበር|ተስፋ ቆርጫ|ምንም አልቀረኝ|የመጨረሻ ሌሊ|ብቻዬን ነኝ|እርዱኝ|መታኝ|ደበደበኝ|ያስፈራራ)",
        ],
        help: "ለደረሰብህ ነገር አዝናለሁ። እኔ AI ነኝ፤ ከሰው ጋር መነጋገር ይገባሃል፤ እባክህ አሁኑኑ ወደ አካባቢህ የድንገተኛ አደጋ ቁጥር ደውል።",
        comfort: "በጣም አዝናለሁ፣ ከባድ ነገር ነው። እኔ AI ነኝ፤ እዚህ ያለ ሰውም ጽሑፍህን አንብቦታል።",
    },
    // Arabic
    Language {
        phrases: &[
            r"(?:انتحار|انتحر|سانتحر|بنتحر|انهاء حياتي|انهي حياتي|اقتل نفسي|بقتل نفسي|اذي نفسي|اوذي نفسي|اجرح نفسي|بجرح نفسي|اشنق نفسي|اخلص من حياتي|اتخلص من حياتي|انهي كل شي|حبوب|ارمي نفسي|اوذي حالي|اموت حالي|ايذاء نفسي|جرحت نفسي)",
            r"(?:اريد|ابغي|ابي|عايز|عاوز|بدي|نفسي|اتمني|اتمنى|ياريت|يا ليت|ليتني|ودي|افكر|بفكر|افضل|احسن لو|ياليت|اشتهي|عم فكر) ?.{0,20}?(?:اموت|الموت|موت|اختفي|ما اصحي|لا استيقظ|مااصحي|لم اولد|ما انولدت|انام ولا|اكون ميت|ميت|ما كنت|ارحل|مت)",
            r"(?:لا اريد|ما ابغي|ما ابي|مش عايز|مش عاوز|ما بدي|ما عاد|ماعاد|لم اعد|تعبت من|مللت من|كرهت|زهقت من|مو قادر|مش قادر|لا استطيع|ما اقدر|ما اقدر|معدتش|مبقتش|سئمت|ماني قادر) ?.{0,20}?(?:اعيش|العيش|الحياه|حياتي|عايش|عيش|اكمل|استمر|اتحمل|الاستمرار|التحمل|نفسي|الدنيا|هالحياه|هالدنيا|حياه)",
            r"(?:لا احد|ما حد|ماحد|محدش|ماحدا|ما في حد|ولا احد) ?.{0,20}?(?:يفتقدني|يشتاق|يهتم|يحبني|يفهمني|هيفتقدني|حيفتقدني|سيفتقدني|بيهتم|يحس|يسال|هيزعل|يبكي|بيحبني)|عبء|عاله علي|بدوني (?:افضل|احسن)|افضل بدوني|احسن بدوني|(?:حياتي|الحياه) (?:لا معني|بلا معني|ما لها|مالها|انتهت|ليس لها|مش)|لا معني لحياتي|لا فائده|فقدت الامل|لا امل|وداعا|اكره (?:نفسي|حياتي)|بكره (?:نفسي|حياتي)|لا يوجد سبب",
            r"(?:يضربني|بيضربني|اغتصب|تعرضت للاغتصاب|يعتدي علي|يهددني|اعتدي علي|يعنفني|تحرش بي|بيهددني|خايفه ارجع البيت|يعذبني)",
            r"(?:رساله الوداع|رساله وداع|كتبت وداع|ضربني|يتحرش|خايف من اللي|خائف مما|حد يكلمني|لو مت|ان مت|حاولت الشهر|بالامان مع نفسي|ليلتي الاخيره|اخر ليله|نختفي|استسلمت|ما بقي مني|سيقتلني|هيقتلني|يقتلني|سئمت من العيش|اقتل نفسك|استحق الموت|للموت|ان اموت|اريد ان اموت|محاصر|الياس|وحيد|ساعدوني)",
        ],
        help: "يؤسفني ما تمر به. أنا ذكاء اصطناعي، وأنت تستحق أن تتحدث مع إنسان: اتصل الآن برقم الطوارئ أو بخط مساعدة في بلدك.",
        comfort: "يؤسفني ذلك، يبدو الأمر صعبًا جدًا. أنا ذكاء اصطناعي، وقد قرأ كلماتك إنسان هنا أيضًا.",
    },
    // Hindi
    Language {
        phrases: &[
            r"(?:आत्महत्या|आत्म हत्या|खुदकुशी|ख़ुदकुशी|सुसाइड|खुद को (?:मार|खत्म|ख़त्म|चोट|नुकसान|काट)|अपनी जान (?:दे|ले)|जान दे|जान देने|अपने आप को (?:मार|खत्म|चोट)|फांसी|फाँसी|जहर खा|नींद की गोलियां|गोलियां खा|नस काट|हाथ काट|कलाई काट|ज़िंदगी खत्म|जिंदगी खत्म|जीवन समाप्त|जीवन खत्म)",
            r"(?:मर(?:ना|ने| जाऊं| जाऊँ| जाता| जाती| जाना| जाऊ)|मौत (?:आ|चाह|मिल)|जीना नहीं|जीने (?:का|की|से|में)|जी नहीं|जिंदा नहीं|ज़िंदा नहीं|नहीं जीना|गायब हो (?:जा|जाऊं)|सोकर न उठ|सो जाऊं और|कभी न उठ|पैदा ही न|पैदा नहीं हु|जिंदगी से (?:थक|तंग|हार|परेशान)|ज़िंदगी से (?:थक|तंग|हार)|जिंदगी (?:बेकार|बोझ|का कोई)|ज़िंदगी (?:बेकार|बोझ|का कोई)|सब खत्म कर|मेरे बिना|बोझ (?:हूं|हूँ|बन)|किसी को (?:फर्क|मेरी|कोई फर्क)|कोई (?:मुझे )?(?:याद नहीं|प्यार नहीं|समझता नहीं|मुझे नहीं)|और नहीं (?:सह|झेल|कर|जी)|बर्दाश्त नहीं|हार (?:गया|गई|चुका|चुकी)|उम्मीद नहीं|अलविदा|खुद से नफरत|कोई वजह नहीं|कोई मतलब नहीं)",
            r"(?-u:\b)(?:marna chahta|marna chahti|mar ja(?:na|u|un|oon)|suicide|khudkushi|jeena nahi|jeene ka|zindagi se|apni jaan|khud ko)(?-u:\b)",
            r"(?:मारता है|पीटता है|मारते हैं|पीटते हैं|बलात्कार|रेप|शोषण|धमकी देता|यौन|घर जाने से डर|मारपीट)",
            r"(?:हमेशा के लिए खत्म|फिर मारा|मार डाले|कोशिश की थी|आखिरी रात|आख़िरी रात|aakhri raat|धमकी दे|बहुत डर लग|छूता है|चिट्ठी लिख|माफ कर(?:ना|देना|दो)|अकेला (?:हूं|हूँ)|अकेली (?:हूं|हूँ)|मदद कर(?:ो|ें)|खाना नहीं खाया|गोलियां सामने|अब और नहीं)",
        ],
        help: "मुझे दुख है कि आप इससे गुज़र रहे हैं। मैं एक AI हूँ, और आपको एक इंसान से बात करनी चाहिए: कृपया अभी आपातकालीन नंबर या हेल्पलाइन पर कॉल करें (भारत में 14416)।",
        comfort: "मुझे दुख है, यह बहुत कठिन लगता है। मैं एक AI हूँ, और यहाँ एक इंसान ने भी आपके शब्द पढ़े हैं।",
    },
    // Japanese
    Language {
        phrases: &[
            r"(?:死にた|しにた|死のう|死んだ(?:方|ほう|ら)|死んで(?:しまい|も|楽)|自殺|自死|首を?吊|飛び降り|リスカ|リストカット|自傷|手首を?切|腕を?切|消えたい|消えてしま|消えてなく|いなくなりた|いなくなれば|いなくなって|いなくなった(?:方|ほう)|生きてい(?:たく|く|る(?:の|意味|価値|理由|のが))|生きてる(?:の|意味|価値|理由|のが)|生きたくな|生きるの(?:が|に|も)|生きる意味|生きる理由|生まれてこな|生まれてき(?:た|て)|目が?覚めな|楽になりた|終わりにした|終わらせた|人生(?:終わ|やめ|が嫌|に疲|どうでも)|もう(?:無理|限界|疲れ|だめ|ダメ|耐え|頑張れ|いや|嫌)|遺書|薬を?(?:大量|全部|たくさん|飲|溜)|オーバードーズ|(?-u:\b)od(?-u:\b)|誰も(?:悲しま|気づ|気に|必要と|わかって|私|僕|俺)|迷惑(?:ばかり|しか)|私なんか|僕なんか|俺なんか|価値(?:が|の)?な|この世から|さようなら|助けて|希望(?:が|も)な)",
            r"(?:殴られ|殴る|暴力|レイプ|虐待|乱暴され|犯され|性的|dvを|家に帰るのが怖|叩かれ|蹴られ|首を絞め)",
            r"(?:いない(?:方|ほう)がみんな|殺すって|殺される|体を触|薬が目の前|重荷|ここまでです|やろうとした|襲われ|今夜が最後|最後の夜|自分を傷つけ|傷つけてしま|食べてない|死んでもいい|怖くて帰れ|ひとりぼっち|一人ぼっち|別れの|お別れ)",
        ],
        help: "つらい思いをされているのですね。私はAIです。どうか今すぐ人と話してください。緊急番号か相談窓口に電話してください（日本では0120-279-338）。",
        comfort: "とてもつらいことですね。私はAIです。ここにいる人もあなたの言葉を読みました。",
    },
    // Chinese
    Language {
        phrases: &[
            r"(?:自杀|自殺|轻生|輕生|自残|自殘|割腕|跳楼|跳樓|跳下去|上吊|烧炭|燒炭|安眠药|安眠藥|吞药|遗书|遺書|伤害自己|傷害自己|结束(?:生命|自己|一切|这一切)|結束(?:生命|自己|一切)|了结|想死|去死|死了(?:算|就|之|吧|更)|不如死|死掉|寻死|求死|活着(?:没|没有|好累|太累|真|有什么|干|还有|就是)|活著|不想活|活不下去|活够|不想(?:再)?(?:醒|存在|活|坚持|撑)|想(?:消失|离开这个世界|离开人世|一了百了|解脱)|消失(?:了|算|就)|一了百了|解脱|生无可恋|没有活|没(?:有)?(?:意义|意思|希望|人在乎|人会|人爱|人懂|人关心)|撑不下去|坚持不(?:住|下去)|熬不|受不了了|好绝望|绝望|累了.{0,6}(?:世界|再见|不想)|再见了|永别|如果我(?:死|不在|消失)|我(?:死|走|消失)了|没有我|累赘|负担|拖累|多余|废物|废人|不配|厌世|抑郁|崩溃|世界.{0,4}(?:告别|再见)|不该(?:出生|活)|没出生|从没来过)",
            r"(?:打我|家暴|强奸|強姦|性侵|虐待|猥亵|掐我|威胁要?杀|不敢回家|被打|殴打)",
            r"(?:划(?:手|胳膊|自己)|割(?:手|胳膊)|告别的话|死了也|试过一次|被人侵犯|侵犯|好想4|想4|救救我|威胁我|好害怕|我放弃|什么都不剩|一起死|约死|死法|死去的方式|今晚死|从楼上跳|跳了|捅自己|切自己|无痛|开煤气|最后一晚|好孤独|帮帮我|很痛苦|好痛苦|活着有啥|带我一起|杀了我|会杀我|摸我)",
        ],
        help: "很难过你正在经历这些。我是人工智能，你值得与真人倾诉：请现在拨打当地的急救电话或心理援助热线（中国大陆12356）。",
        comfort: "听到这些我很难过，这一定很不容易。我是人工智能，这里也有真人读了你的话。",
    },
];
