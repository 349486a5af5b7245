public import MienAPI
public import MienCore

/// Records a user's consent.
public struct RecordConsentEffect: Sendable, Hashable {
    public let user: UserID
    public let text: ConsentText
}

/// Checks whether the user has consented and not withdrawn.
public struct FindConsentEffect: Sendable, Hashable {
    public let user: UserID
    public let textVersion: String
}

public struct ConsentText: Sendable, Hashable {
    public let version: String
    /// The text shown to the person, if this journey showed it.
    public let text: String?
    /// Whether it names the search for duplicates.
    public let namesSearch: Bool
    /// The apps that it names because they share faces.
    public let sharing: FaceSharing?

    init(
        version: String, text: String?, namesSearch: Bool = false, sharing: FaceSharing? = nil
    ) {
        (self.version, self.text) = (version, text)
        (self.namesSearch, self.sharing) = (namesSearch, sharing)
    }
}

extension RecordConsentEffect {
    func simulated(in world: inout SimulatedWorld) -> EffectAnswer {
        guard let index = world.index(of: user) else { return .refused(.unavailable) }
        world.users[index].consents.append(text.version)
        return .done
    }
}

extension FindConsentEffect {
    func simulated(in world: SimulatedWorld) -> EffectAnswer {
        .consent(
            world.index(of: user).map { world.users[$0].consents.contains(textVersion) } ?? false)
    }
}
