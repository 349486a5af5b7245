/// A state or organization in a machine-readable zone: three letters, such as `UTO`, or fewer with
/// fillers, such as `D<<`.
///
/// Source: ICAO Doc 9303 part 3, section 5: ISO 3166-1 codes with extensions. The list also has
/// codes of states that no longer exist, because their documents do, and `RKS`, `KS<`, and `ZAR`,
/// which documents use.
public struct IssuerCode: Sendable, Hashable {
    /// Three characters, with fillers.
    public let text: String

    /// - Precondition: `text` consists of three characters.
    public init(_ text: String) {
        precondition(text.utf8.count == 3, "a code has three characters")
        self.text = text
    }

    /// Whether the code is in the list.
    public var isKnown: Bool { Self.known.contains(text) }

    /// The country of ISO 3166-1 (alpha-2) to which the code belongs, such as `DE` for `D<<` and
    /// `GB` for `GBO`. `nil` for organizations, Utopia, and unknown codes.
    public var country: String? {
        Self.extensions[text] ?? Self.countries[text]
    }

    /// The code by which people name who issued the document: the country, or an organization's own
    /// code. `UN` and `EU` are reserved in ISO 3166-1 for their organizations. A territory is named by
    /// its state, because that is what its passports say.
    ///
    /// - Returns: `nil` for unknown codes, and for those of holders instead of issuers, of states that
    ///   no longer exist, of Antarctica, and of specimens.
    public var issuer: String? {
        if let country {
            return Self.state(ofTerritory: country)
                ?? (Self.issuesNothing.contains(country) ? nil : country)
        }
        switch text {
        case "UNO", "UNA": return "UN"
        case "EUE": return "EU"
        case "UNK": return "XK"
        case "XXA", "XXB", "XXC", "XXX", "UTO": return nil
        default: return isKnown ? text : nil
        }
    }

    private static let issuesNothing: Set<String> = ["AN", "NT", "CS", "YU", "FX", "AQ"]

    /// The state whose passports the people of a territory have. Both codes are those of ISO 3166-1
    /// (alpha-2).
    ///
    /// - Returns: `nil` for all that is no such territory.
    public static func state(ofTerritory country: String) -> String? { territories[country] }

    private static let territories: [String: String] = {
        let lists = [
            "AU": "CC CX HM NF", "CN": "HK MO", "DK": "FO GL", "FI": "AX",
            "FR": "BL GF GP MF MQ NC PF PM RE TF WF YT",
            "GB": "AI BM FK GG GI GS IM IO JE KY MS PN SH TC VG", "NL": "AW BQ CW SX",
            "NO": "BV SJ", "NZ": "CK NU TK", "US": "AS GU MP PR UM VI",
        ]
        var states: [String: String] = [:]
        for (state, list) in lists {
            for territory in list.split(separator: " ") { states[String(territory)] = state }
        }
        return states
    }()

    /// All known codes.
    public static let known: Set<String> = Set(countries.keys).union(extensions.keys).union(
        organizations.split(separator: " ").map(String.init))

    /// Codes that do not belong to a country.
    private static let organizations = """
        UNO UNA UNK XXA XXB XXC XXX XOM XCC XPO XBA XIM XMP XCE XCO XDC XEC XEU EUE XES \
        UTO IAO
        """

    /// Codes of countries that ISO 3166-1 does not have, or has no longer.
    private static let extensions = [
        "D<<": "DE", "GBD": "GB", "GBN": "GB", "GBO": "GB", "GBP": "GB", "GBS": "GB", "RKS": "XK",
        "KS<": "XK", "RKX": "XK", "ROM": "RO", "TMP": "TL", "ZAR": "CD", "SI<": "SI",
        "ANT": "AN", "NTZ": "NT", "SCG": "CS", "YUG": "YU", "FXX": "FX",
    ]

    /// Alpha-3 to alpha-2 of ISO 3166-1.
    private static let countries: [String: String] = {
        let words = pairs.split(separator: " ").map(String.init)
        return Dictionary(
            uniqueKeysWithValues: words.map { (String($0.prefix(3)), String($0.suffix(2))) })
    }()

    private static let pairs = """
        ABWAW AFGAF AGOAO AIAAI ALAAX ALBAL ANDAD AREAE ARGAR ARMAM ASMAS ATAAQ ATFTF ATGAG \
        AUSAU AUTAT AZEAZ BDIBI BELBE BENBJ BESBQ BFABF BGDBD BGRBG BHRBH BHSBS BIHBA BLMBL \
        BLRBY BLZBZ BMUBM BOLBO BRABR BRBBB BRNBN BTNBT BVTBV BWABW CAFCF CANCA CCKCC CHECH \
        CHLCL CHNCN CIVCI CMRCM CODCD COGCG COKCK COLCO COMKM CPVCV CRICR CUBCU CUWCW CXRCX \
        CYMKY CYPCY CZECZ DEUDE DJIDJ DMADM DNKDK DOMDO DZADZ ECUEC EGYEG ERIER ESHEH ESPES \
        ESTEE ETHET FINFI FJIFJ FLKFK FRAFR FROFO FSMFM GABGA GBRGB GEOGE GGYGG GHAGH GIBGI \
        GINGN GLPGP GMBGM GNBGW GNQGQ GRCGR GRDGD GRLGL GTMGT GUFGF GUMGU GUYGY HKGHK HMDHM \
        HNDHN HRVHR HTIHT HUNHU IDNID IMNIM INDIN IOTIO IRLIE IRNIR IRQIQ ISLIS ISRIL ITAIT \
        JAMJM JEYJE JORJO JPNJP KAZKZ KENKE KGZKG KHMKH KIRKI KNAKN KORKR KWTKW LAOLA LBNLB \
        LBRLR LBYLY LCALC LIELI LKALK LSOLS LTULT LUXLU LVALV MACMO MAFMF MARMA MCOMC MDAMD \
        MDGMG MDVMV MEXMX MHLMH MKDMK MLIML MLTMT MMRMM MNEME MNGMN MNPMP MOZMZ MRTMR MSRMS \
        MTQMQ MUSMU MWIMW MYSMY MYTYT NAMNA NCLNC NERNE NFKNF NGANG NICNI NIUNU NLDNL NORNO \
        NPLNP NRUNR NZLNZ OMNOM PAKPK PANPA PCNPN PERPE PHLPH PLWPW PNGPG POLPL PRIPR PRKKP \
        PRTPT PRYPY PSEPS PYFPF QATQA REURE ROURO RUSRU RWARW SAUSA SDNSD SENSN SGPSG SGSGS \
        SHNSH SJMSJ SLBSB SLESL SLVSV SMRSM SOMSO SPMPM SRBRS SSDSS STPST SURSR SVKSK SVNSI \
        SWESE SWZSZ SXMSX SYCSC SYRSY TCATC TCDTD TGOTG THATH TJKTJ TKLTK TKMTM TLSTL TONTO \
        TTOTT TUNTN TURTR TUVTV TWNTW TZATZ UGAUG UKRUA UMIUM URYUY USAUS UZBUZ VATVA VCTVC \
        VENVE VGBVG VIRVI VNMVN VUTVU WLFWF WSMWS YEMYE ZAFZA ZMBZM ZWEZW
        """
}
