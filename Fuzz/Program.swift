import Foundation

/// Every target is in this one program, because it compiles and links once. The name under which the
/// program is started, a link that scripts/fuzz makes, says which of them runs.
private let targets: [String: @Sendable ([UInt8]) -> Void] = [
    "AAMVA": fuzzAAMVA,
    "Android": fuzzAndroid,
    "Assertion": fuzzAssertion,
    "Attestation": fuzzAttestation,
    "Backup": fuzzBackup,
    "Calibration": fuzzCalibration,
    "CBOR": fuzzCBOR,
    "Certificate": fuzzCertificate,
    "ClientData": fuzzClientData,
    "Cohort": fuzzCohort,
    "COSE": fuzzCOSE,
    "Dlib": fuzzDlib,
    "DPoP": fuzzDPoP,
    "Evidence": fuzzEvidence,
    "EXIF": fuzzEXIF,
    "Expression": fuzzExpression,
    "FaceTemplate": fuzzFaceTemplate,
    "Form": fuzzForm,
    "FrameBatch": fuzzFrameBatch,
    "Gallery": fuzzGallery,
    "GIF": fuzzGIF,
    "Header": fuzzHeader,
    "HPKE": fuzzHPKE,
    "Journey": fuzzJourney,
    "JPEG": fuzzJPEG,
    "JSON": fuzzJSON,
    "JWS": fuzzJWS,
    "Key": fuzzKey,
    "License": fuzzLicense,
    "Manifest": fuzzManifest,
    "MRZ": fuzzMRZ,
    "Multipart": fuzzMultipart,
    "OCRA": fuzzOCRA,
    "Pairs": fuzzPairs,
    "PNG": fuzzPNG,
    "Registry": fuzzRegistry,
    "Rules": fuzzRules,
    "SCIM": fuzzSCIM,
    "SealedRecord": fuzzSealedRecord,
    "Settings": fuzzSettings,
    "Tar": fuzzTar,
    "Text": fuzzText,
    "TPM": fuzzTPM,
    "Video": fuzzVideo,
    "VisualZone": fuzzVisualZone,
]

private let target: @Sendable ([UInt8]) -> Void = {
    let name = CommandLine.arguments.first.map { URL(filePath: $0).lastPathComponent } ?? ""
    guard let target = targets[name] else { fatalError("“\(name)” is the name of no target") }
    return target
}()

/// Passes an input of libFuzzer to the target. It is on the heap with its exact length, so that
/// AddressSanitizer sees overreads.
@_cdecl("LLVMFuzzerTestOneInput")
public func test(start: UnsafePointer<UInt8>?, count: Int) -> Int32 {
    target([UInt8](UnsafeBufferPointer(start: start, count: count)))
    return 0
}
