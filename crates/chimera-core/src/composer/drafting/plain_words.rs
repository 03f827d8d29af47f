//! Words that claim nothing, wherever they stand: ours, and those that open sentences.

/// Our own words around what the sources say, beside the lines of [`crate::policy::phrases`].
pub const OWN_PHRASES: [&str; 4] = ["Source Sources AI", "Also:", "Yes, I am an AI. is a virtual persona, not a person.", "Hello from"];

/// Words that open many sentences and name nothing.
pub const FIRST_WORDS: &str = "Today Tomorrow Yesterday Now Here There When While With Without From Over Under After Before Once Still Even Just Only \
    Some Many Most More Few Every Each Both All Another One Two Three Let Let's Meet See Look Read Watch Think Know Imagine Consider Remember Picture \
    Big Small Good Great New Old People Everyone Nobody Someone Something Nothing Everything Maybe Perhaps Sometimes Often Because Since Until \
    Whether Though Although However Meanwhile Instead Finally First Next Then Also Plus And But Or So Yet Yes No Not Why How What Who Where Which \
    This That These Those It They We You He She Its Their Our Your My I In On At By For To Of As If Is Are Was Were Has Have Had Can Could Will \
    Would Should May Might Must Do Does Did A An The";

/// More of them: whoever begins a sentence with one has invented no name. They say too much to stand anywhere in a text.
pub const OPENING_WORDS: &str = "Take Tell Share Save Pass Notice Keep Ask Give Go Come Breathe Pause Wait Guess Stay Listen Say Note Mark Put Hold Wake Get Make Try Find Check \
    Follow Join Learn Start Stop Turn Walk Rest Slow Bring Call Choose Compare Count Enjoy Feel Help Hear Leave Love Move Open Pick Play Send Show \
    Stand Talk Use Visit Want Wish Work Write Celebrate Discover Explore Welcome Thanks Thank Please Sorry Hello Hi Hey Wow Oh Ah Ha Haha Hehe Hmm Oops \
    Whoops Yay Yep Nope Okay Ok Well Right Sure Fair True Dear Friends Folks Guys Honestly Frankly Seriously Apparently Clearly Quietly Slowly \
    Gently Luckily Happily Sadly Suddenly Surprisingly Interestingly Importantly Admittedly Ever Never Always Almost Already Again Together Elsewhere \
    Everywhere Somewhere Somehow Anyway Besides Despite During Between Among Across Along Around Behind Below Beside Beyond Down Inside Like Near Off \
    Out Outside Through Throughout Toward Up Upon Within Than Such Much Less Least Other Others Same Last Later Soon Worth Nice Fun Cool Lovely \
    Beautiful Brilliant Amazing Bold Bright Calm Clear Early Easy Fast Fresh Happy Hard High Late Light Little Long Low Proud Quick Quiet Ready Real \
    Rare Short Simple Slow Strong Sweet Warm Wild Wise Young Per Thoughts Question Questions Fact Facts Proof Result Results News Update Reminder";
