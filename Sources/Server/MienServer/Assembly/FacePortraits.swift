internal import MienCore
internal import MienFace

/// Compares portraits with the model pack that face login uses.
struct FacePortraits: PortraitComparer {
    let faces: FaceService

    var pack: PackID { faces.packID }

    func portrait(in views: [RGBImage], for share: WorkShare) async throws -> DescribedFace? {
        try await faces.portrait(in: views, for: share).map(DescribedFace.init)
    }

    func selfie(_ image: RGBImage, for share: WorkShare) async throws -> DescribedFace? {
        try await faces.selfie(image, for: share).map(DescribedFace.init)
    }

    func score(_ portrait: FaceDescriptor, _ selfie: FaceDescriptor) throws -> MatchScore {
        try faces.score(portrait, selfie)
    }

    func score(_ portrait: FaceDescriptor, _ template: FaceTemplate) throws -> MatchScore? {
        try faces.score(portrait, template)
    }
}

extension DescribedFace {
    fileprivate init(_ face: FaceService.ReadFace) {
        self.init(view: face.view, reasons: face.reasons, descriptor: face.descriptor)
    }
}
