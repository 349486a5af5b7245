import MienCore
import MienServerTesting
import X509

@testable import MienAttestation

/// Reads any bytes as an Android key description, and as Google's list of revoked keys.
///
/// Must hold: the result is an error, or a description that no policy refuses while a stricter one
/// accepts it, and that is the same in a certificate. The list has normal serial numbers only.
func fuzzAndroid(_ bytes: [UInt8]) {
    readList(bytes)
    do throws(AttestationError) {
        let description = try KeyDescription(der: bytes)
        precondition(
            (try? KeyDescription(der: bytes + [0])) == nil
                && (try? KeyDescription(der: bytes.dropLast())) == nil,
            "a description of another length is accepted")
        check(description)
        checkPolicies(description)
        checkChain(description, bytes)
    } catch { checkReason(error) }
}

private func readList(_ json: [UInt8]) {
    do throws(AttestationError) {
        let list = try AndroidStatusList(json: json)
        precondition(list == (try? AndroidStatusList(json: json)), "read differently each time")
        let digits = Set("0123456789abcdef".utf8)
        precondition(
            list.entries.keys.allSatisfy {
                $0.utf8.first != UInt8(ascii: "0") && $0.utf8.allSatisfy(digits.contains)
            }, "a serial number that no certificate has")
    } catch { checkReason(error) }
}

private func check(_ description: KeyDescription) {
    for list in [description.softwareEnforced, description.hardwareEnforced] {
        let texts = [list.brand, list.device, list.product, list.manufacturer, list.model]
        let packages = list.application?.packages.map(\.name) ?? []
        precondition((texts.compactMap(\.self) + packages).allSatisfy(\.isPrintable))
    }
}

private let levels: [KeyDescription.SecurityLevel] = [.software, .trustedEnvironment, .strongBox]
private let boots: [AndroidKeyPolicy.Boot] = [.any, .lockedOwnKey, .verified]
private let users: [AndroidKeyPolicy.UserAuthentication] = [.any, .biometric, .biometricOnly]

private func policy(_ level: Int, _ boot: Int, _ user: Int) -> AndroidKeyPolicy {
    var policy = AndroidKeyPolicy()
    policy.minimumLevel = levels[level]
    (policy.boot, policy.userAuthentication) = (boots[boot], users[user])
    return policy
}

/// Whatever a policy accepts, each policy that is looser in one way accepts too.
private func checkPolicies(_ description: KeyDescription) {
    func accepts(_ level: Int, _ boot: Int, _ user: Int) -> Bool {
        do throws(AttestationError) {
            try policy(level, boot, user).check(description)
            return true
        } catch {
            checkReason(error)
            return false
        }
    }
    for level in 0..<3 {
        for boot in 0..<3 {
            for user in 0..<3 where accepts(level, boot, user) {
                precondition(
                    (level == 0 || accepts(level - 1, boot, user))
                        && (boot == 0 || accepts(level, boot - 1, user))
                        && (user == 0 || accepts(level, boot, user - 1)),
                    "a looser policy refuses")
            }
        }
    }
}

private func checkChain(_ description: KeyDescription, _ der: [UInt8]) {
    guard let subject = try? DistinguishedName(builder: { CommonName("Android Keystore Key") }),
        let leaf = try? issued(
            subject: subject,
            extensions: [.init(oid: KeyDescription.oid, critical: false, value: der[...])])
    else { preconditionFailure("the certificate cannot be issued") }
    let loosest = policy(0, 0, 0)
    func verify(_ challenge: [UInt8]) throws(AttestationError) -> AndroidAttestedKey {
        try AndroidKeyAttestation.verify(
            chain: [leaf], challenge: challenge, policy: loosest, anchors: [anchor],
            at: verificationTime)
    }
    do throws(AttestationError) {
        let key = try verify(description.challenge)
        precondition(key.description == description && key.key == knownPublicKey)
    } catch {
        checkReason(error)
        precondition((try? loosest.check(description)) == nil, "refused in a certificate only")
    }
    precondition((try? verify(description.challenge + [0])) == nil, "a wrong challenge is accepted")
}
