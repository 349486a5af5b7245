internal import MienAPI
internal import MienIdentity

/// A screen in words. How it looks is up to the views.
enum CaptureScreen: Sendable, Equatable {
    case waiting(String)
    case page(CapturePage)
    case documents(DocumentChoices)
    case omissions(OmissionChoices)
    case face(FaceStage)
    case document(DocumentStage)

    /// The words of a screen reader when the screen appears or changes.
    var announcement: String {
        switch self {
        case .waiting(let text): text
        case .page(let page): page.title
        case .documents(let choices): choices.title
        case .omissions(let choices): choices.title
        case .face(let stage): stage.word
        case .document(let stage): stage.word
        }
    }
}

/// A button, and what pressing it means.
struct CaptureButton: Sendable, Equatable {
    enum Role: Sendable, Equatable { case primary, secondary, quiet, destructive }

    let label: String
    let choice: CaptureChoice
    var role = Role.quiet
}

/// A choice of the person.
enum CaptureChoice: Sendable, Equatable {
    /// The screen's main way on.
    case goOn
    case back, cancel, retry, skip, stop
    /// "I can't do this."
    case cannot
    case omit([CaptureAction])
    /// To start with colors of this style.
    case light(CaptureLightStyle)
    case document(country: String, type: IdentityDocumentType)
    case otherDocument, takePicture, openSettings
    case retake(SessionPicture)
}

/// A title, a few lines, and buttons.
struct CapturePage: Sendable, Equatable {
    enum Sign: Sendable, Equatable {
        case none, success, failure, wait, face, card, cardBack, passport
    }

    /// A line of what was captured.
    struct Row: Sendable, Equatable {
        let title, detail: String
        let button: CaptureButton?
    }

    var sign = Sign.none
    let title: String
    var lines: [String] = []
    /// A long text, which scrolls by itself.
    var terms: String?
    var rows: [Row] = []
    var buttons: [CaptureButton] = []
}

/// The countries and types of documents to choose from.
struct DocumentChoices: Sendable, Equatable {
    struct Country: Sendable, Equatable, Hashable { let code, name: String }
    struct Kind: Sendable, Equatable, Hashable {
        let type: IdentityDocumentType
        let name: String
    }

    let title, countryLabel, typeLabel, none, noType: String
    let countries: [Country]
    /// The types by country.
    let kinds: [String: [Kind]]
    /// The likely choice.
    let country: String?
    let type: IdentityDocumentType?
    let goOn, cancel: CaptureButton
}

/// The movements that the person may leave out.
struct OmissionChoices: Sendable, Equatable {
    struct Movement: Sendable, Equatable, Hashable {
        let action: CaptureAction
        let name: String
    }

    let title, text: String
    let movements: [Movement]
    /// The label of the button that answers with ``CaptureChoice/omit(_:)``.
    let goOn: String
    let buttons: [CaptureButton]
}

/// The camera with an oval for the face.
struct FaceStage: Sendable, Equatable {
    /// The one thing to do now.
    var word: String
    /// Where an arrow points, or what else a sign shows.
    var sign: CaptureAction?
    /// 0...100.
    var progress = 0
    /// A line below the picture.
    var note = ""
    /// The color around the oval, which the face reflects; `nil` for the usual background.
    var color: CaptureColor?
    let preview: String
    let buttons: [CaptureButton]
}

/// The camera with the edges of a document.
struct DocumentStage: Sendable, Equatable {
    let title: String
    var word: String
    /// In parts of the picture's width and height.
    var corners: [[Double]]?
    var isGood = false
    var tip = ""
    /// 0...1 for a series; `nil` for a single picture.
    var progress: Double?
    let preview: String
    let buttons: [CaptureButton]
}
