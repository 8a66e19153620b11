/**
 * Words that guessers try first, in lower case: passwords that are seen again and again, runs of the keyboard, first names,
 * teams, months, and the words of this trade. Digits and marks around a word do not save it, nor do digits in the place of
 * letters, so each stands here once, without them.
 */
const WORDS = `
  password passwort passwd passphrase passcode pass secret secretword letmein letmeinnow openup opensesame sesame access
  login logon signin signup admin administrator root superuser sysadmin user username guest test tester testing testtest
  demo example sample temp temporary default changeme changethis change newpassword mypassword thepassword yourpassword
  nopassword password1234 passwordpassword wordpass drowssap welcome welcomeback welcomehome hello hellohello helloworld
  hellothere goodbye whatever whatsup nothing something anything everything blank empty none null undefined
  qwerty qwertyu qwertyui qwertyuio qwertyuiop qwertyqwerty qwerty1234 qwertz qwertzu qwertzuiop azerty azertyuiop asdf
  asdfg asdfgh asdfghj asdfghjk asdfghjkl asdfasdf asdasdasd asdqwe qweasd qweasdzxc qweqwe qweqweqwe zxcv zxcvb zxcvbn
  zxcvbnm zxczxczxc zaqwsx zaqxsw qazwsx qazwsxedc qazxsw wsxedc edcrfv qscesz poiuytrewq mnbvcxz lkjhgfdsa yxcvbnm
  1q2w3e 1q2w3e4r 1q2w3e4r5t 1qaz2wsx 1qaz2wsx3edc q1w2e3r4 q1w2e3r4t5 zaq12wsx !qaz2wsx 1a2b3c4d a1b2c3d4 abc12345
  abcd1234 123qwe123 123abc123 1234qwer qwer1234 asdf1234 aa123456 a1234567 12qwaszx 147258369 159753 741852963 789456123
  987654321 87654321 11223344 12341234 12344321 13131313 12121212 10101010 121212121 123123123 112233445566 102030405060
  iloveyou iloveu ilovegod ilovejesus ilovehim ilovemom ilovemymom ilovemylife loveyou loveyoubaby lovely lovelove love
  lover loverboy lovers mylove truelove forever foreverlove always together family myfamily mother mommy father daddy
  sister brother baby babygirl babyboy princess prince queen king angel angels darling honey sweetie sweetheart sugar
  cutie beautiful gorgeous handsome happy happiness smile smiley friend friends friendship bestfriend bestfriends buddy
  money moneymoney million millionaire dollar dollars rich lucky luckyone fortune success winner champion number one
  numberone freedom liberty justice peace hope faith trust trustno trustnobody trustnoone believe blessed blessing
  jesus jesuschrist christ godisgood godislove godbless heaven hallelujah amen bible church buddha allah namaste
  sunshine sunset sunrise sunflower moonlight moonshine rainbow butterfly flower flowers rose roses daisy lily orchid
  star stars starlight superstar shooting galaxy universe nature ocean river mountain island paradise summer winter
  spring autumn summertime wintertime christmas halloween easter birthday happybirthday newyear vacation holiday weekend
  january february march april may june july august september october november december
  monday tuesday wednesday thursday friday saturday sunday today tomorrow yesterday morning evening midnight
  monkey monkeys dragon dragons tiger tigers lion lions panther jaguar eagle eagles falcon falcons hawk phoenix wolf
  wolves bear bears shark dolphin dolphins whale horse horses pony unicorn puppy puppies doggy doggie kitty kitten
  kittycat hellokitty turtle rabbit bunny penguin elephant giraffe mustang bulldog spider scorpion snake cobra viper
  football footballer soccer baseball basketball softball volleyball hockey tennis golf golfer boxing wrestling swimming
  running skater skateboard surfer fishing hunter hunting racing nascar formula ferrari porsche mercedes bmwbmw toyota
  honda yamaha suzuki kawasaki harley harleydavidson chevrolet chevy corvette camaro mustang1 jeepjeep
  liverpool liverpoolfc arsenal chelsea everton tottenham manchester manutd manunited manchesterunited mancity juventus
  barcelona realmadrid bayern celtic rangers benfica galatasaray cowboys steelers packers patriots broncos raiders
  yankees redsox lakers celtics chicago bulls boston dallas texas california florida newyork brooklyn london paris
  america american canada mexico brasil brazil england scotland ireland germany france italia italy espana russia india
  superman batman spiderman ironman wolverine captain avenger avengers hulk joker robin starwars startrek skywalker
  yoda jedi matrix terminator gandalf hobbit frodo harrypotter hogwarts hermione voldemort pokemon pikachu naruto goku
  dragonball minecraft fortnite warcraft starcraft counterstrike nintendo playstation xbox gamer gamers killer assassin
  ninja samurai warrior knight wizard magic merlin master masters mastermind boss bigboss legend legendary hero zero
  computer computers internet network server laptop keyboard windows microsoft google facebook instagram twitter youtube
  whatsapp snapchat linkedin myspace yahoo hotmail gmail apple iphone samsung android nokia motorola cisco oracle linux
  ubuntu debian github developer hacker hacking matrix1 cookie cookies chocolate vanilla strawberry banana orange cherry
  peaches pumpkin pepper ginger coffee cheese pizza burger chicken butter pancake cupcake candy sweet sugarpie
  michael michelle jennifer jessica ashley amanda daniel danielle matthew anthony andrew andrea joshua justin jordan
  jonathan nicholas nicole samantha elizabeth stephanie robert richard charlie charles thomas william alexander
  alexandra christopher christian christina katherine patrick patricia victoria veronica vanessa melissa rebecca rachel
  jasmine sabrina sophia isabella olivia emily hannah madison taylor tyler brandon austin hunter1 maria marina martin
  natasha carolina caroline barbara benjamin sebastian gabriel gabriela fernando alejandro alejandra francisco antonio
  purple yellow orange1 silver golden black blackcat white red blue green greenday pink diamond diamonds crystal
  metallica slipknot nirvana eminem beatles blink rockstar rocknroll hiphop music musical guitar drummer dancer dancing
  soldier marine marines airforce army navy police firefighter teacher student school college university doctor
  nurse nurses nursing nurselife nursegirl hospital clinic patient patients medical medicine pharmacy health healthcare
  facility facilities caregiver carehome nursinghome staffing marketplace shift shifts nightshift dayshift handover
  company office manager employee worker working business customer service support security secure private
  fuckyou fuckoff fuckthis asshole bitch bullshit sexsex sexy sexygirl sexyboy playboy naked pussy dickhead hotstuff
  iamthebest iamtheone ihateyou idontknow idontcare dontforget remember rememberme forgetme forgotten iforgot
  abcdef abcdefg abcdefgh abcdefghi abcdefghij abcabc abcabcabc aabbcc aaabbbccc blahblah lalala lalalala hahaha hahahaha
  correcthorsebatterystaple thequickbrownfox loremipsum`

export const GUESSABLE: ReadonlySet<string> = new Set(WORDS.trim().split(/\s+/))
