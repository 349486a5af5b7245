/// The letters of ``Transliteration``: capital letters with the same spellings, `:`, and the
/// spellings, the recommended one first. `_` is left out.
enum TransliterationTable {
    static let all = [latin, cyrillic, greek, arabic].joined(separator: " ")

    /// Table A of the standard: the recommended spelling, then others that states print, such as
    /// `MULLER` and `LYU` for `LÜ`. Vietnam's letters lose their marks.
    private static let latin = """
        ÁÀÂÃĂĀĄǍ:A Ä:AE|A Å:AA|A ÆǼ:AE ĆĈČĊÇ:C ÐĐĎ:D ÉÈÊËĚĖĒĘĔ:E Ə:E|A ĜĞĠĢǦ:G ĦĤ:H ÍÌÎÏĨİĪĮĬǏ:I ı:I \
        Ĳ:IJ Ĵ:J ĶǨ:K ŁĹĽĻĿ:L Ñ:N|NXX ŃŇŅŊǸ:N ÓÒÔÕŐŌŎǑ:O Ö:OE|O Ø:OE|O Œ:OE ŔŘŖ:R ŚŜŠŞȘ:S ß:SS ẞ:SS \
        ŤŢŦȚ:T Þ:TH ÚÙÛŨŬŰŮŪŲǓ:U Ü:UE|UXX|U|YU ǕǗǙǛ:U|YU ẀẂŴẄ:W ÝŶŸ:Y ŹŽŻ:Z ẠẢẤẦẨẪẬẮẰẲẴẶ:A ẸẺẼẾỀỂỄỆ:E \
        ỈỊ:I ƠỌỎỐỒỔỖỘỚỜỞỠỢ:O ƯỤỦỨỪỬỮỰ:U ỲỴỶỸ:Y
        """

    /// Table B, and the letters of Central Asia. States change their ways with the years: Russia's
    /// `Ю` was `YU` before 2014, and Ukraine's was `YU` at the start of names.
    private static let cyrillic = """
        А:A Б:B В:V|W Г:G|H Д:D Е:E|YE Ё:E|IO|YO Ж:ZH|Z|J З:Z И:I|Y Й:I|Y|J І:I К:K Л:L М:M Н:N О:O П:P \
        Р:R С:S Т:T У:U Ф:F Х:KH|H Ц:TS|C|TC Ч:CH|C Ш:SH|S Щ:SHCH|SHT Ъ:IE|A|_ Ы:Y Э:E Ю:IU|YU|JU \
        Я:IA|YA|JA Ѣ:E|IE Ѫ:U|A Ѵ:Y Ґ:G Ў:U|W Ѓ:G|GJ Ђ:D|DJ Є:IE|YE Ѕ:DZ Ї:I|YI Ј:J Ќ:K|KJ Љ:LJ Њ:NJ Ћ:C \
        Џ:DZ|DJ Ә:A|AE Ғ:G|GH Қ:K|Q Ң:N|NG Ө:O|OE Ұ:U Ү:U|UE Һ:H Ҳ:KH|H Ҷ:CH|J Ӣ:I|Y Ӯ:U
        """

    /// ELOT 743. Pairs of letters have their own spellings, such as `ΟΥ` `OU`, `ΑΥ` `AV`, `ΜΠ` `B`,
    /// and `ΓΓ` `NG`.
    private static let greek = """
        ΑΆ:A Β:V|B Γ:G|N Δ:D ΕΈ:E Ζ:Z ΗΉ:I Θ:TH ΙΊΪΐ:I Κ:K Λ:L Μ:M|_ Ν:N Ξ:X ΟΌ:O Π:P|B Ρ:R Σς:S Τ:T|D \
        ΥΎΫΰ:Y|U|V|F Φ:F|PH Χ:CH|H|KH Ψ:PS ΩΏ:O
        """

    /// Table C. Vowel signs and the tatweel are not written.
    private static let arabic = """
        ء:XE آ:XAA أ:XAE ؤ:U|XW إ:I ئ:XI ا:A ب:B ة:XTA|XAH ت:T ث:XTH ج:J ح:XH خ:XKH د:D ذ:XDH ر:R ز:Z س:S \
        ش:XSH ص:XSS ض:XDZ ط:XTT ظ:XZZ ع:E غ:G ـ:_ ف:F ق:Q ك:K ل:L م:M ن:N ه:H و:W ى:XAY ي:Y ٱ:XXA ٹ:XXT پ:P \
        چ:XC ڈ:XXD ڑ:XXR ژ:XJ ک:XKK گ:XGG ں:XNN ھ:XDO ہ:XXG ی:XYA ے:XYB
        """
}
