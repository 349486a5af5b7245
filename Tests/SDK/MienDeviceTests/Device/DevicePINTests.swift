import MienCore
import MienDevice
import MienKeys
import Testing

@Suite struct DevicePINTests {
    @Test(arguments: [
        "4711", "1224", "0000001", "123455", "1357", "999999999998", "1235",
        "9876 5".filter(\.isNumber) + "1",
    ])
    func `a passcode that is neither uniform nor a run is accepted`(digits: String) throws {
        _ = try DevicePIN(Sensitive(digits))
    }

    @Test(arguments: ["", "123", "1234567890123", "12a4", "١٢٣٤", "47 11", "-471", "4711\n"])
    func `anything but 4 to 12 digits is refused, and the error states the rule`(digits: String) {
        let error = #expect(throws: DeviceError(.weakPasscode, "")) {
            try DevicePIN(Sensitive(digits))
        }
        #expect(error?.reason.contains("4 to 12 digits") == true)
    }

    @Test(arguments: ["0000", "777777", "1234", "4321", "7890", "2109", "0123456789", "890123"])
    func `a repeated digit and runs through 9 and 0 are refused, and the error does not quote them`(
        digits: String
    ) {
        let error = #expect(throws: DeviceError(.weakPasscode, "")) {
            try DevicePIN(Sensitive(digits))
        }
        #expect(error?.reason.contains("too easy") == true && "\(error!)".contains(digits) == false)
    }
}

@Suite struct DeviceErrorTests {
    @Test func `codes are as documented`() {
        #expect(
            DeviceError.Code.allCases.map(\.rawValue) == [
                "cancel", "biometric_private_key_not_found",
                "biometric_not_supported_or_permission_denied", "biometric_no_passcode",
                "biometric_no_enrollment", "biometric_lockout", "device.not-recognized",
                "device.wrong-passcode", "device.passcode-lockout",
                "device.weak-passcode", "device.other-model-pack", "device.tag-in-use",
                "device.bad-argument", "device.hardware", "device.storage", "device.tampered",
            ])
    }

    @Test(arguments: ["", "a/b", "ä", "a b", String(repeating: "a", count: 129), "..\0"])
    func `a malformed tag is refused`(text: String) {
        #expect(throws: DeviceError(.badArgument, "")) { try DeviceKeyTag(text) }
    }
}
