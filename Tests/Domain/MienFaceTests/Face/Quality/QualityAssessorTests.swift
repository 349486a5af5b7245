import MienFace
import MienTesting
import Testing

/// A synthetic face on a drawn picture: good in every respect, then degraded in one.
@Suite("Quality assessor")
struct QualityAssessorTests {
    private static let side = 300
    private static let center = Point(x: 150, y: 150)
    private static let openEyes = EyeOpening(right: 0.25, left: 0.24)

    /// A picture with light from the left and fine-grained skin.
    private static let photo: RGBImage = {
        var random = TestSeed.generator(7)
        return RGBImage.made(width: side, height: side) { x, _ in
            let level = UInt8(
                min(max(30 + Double(x) * 0.7 + (random.uniform() - 0.5) * 70, 0), 255))
            return RGBColor(level, level, level)
        }
    }()

    private func mesh(
        halfWidth: Double = 70, at center: Point = center, yaw: Float = 0, pitch: Float = 3,
        roll: Float = 0, evidence: Double = 22
    )
        -> FaceMesh
    {
        SyntheticHead().mesh(
            center: center, halfWidth: halfWidth,
            pose: HeadPose(yaw: yaw, pitch: pitch, roll: roll), evidence: evidence)
    }

    private func quality(
        of mesh: FaceMesh? = nil, eyes: EyeOpening? = openEyes, rival: Double = 0,
        in image: RGBImage = photo
    ) -> FaceQuality {
        QualityAssessor().quality(of: mesh ?? self.mesh(), eyes: eyes, rival: rival, in: image)
    }

    private func changed(_ level: (Double) -> Double) -> RGBImage {
        try! RGBImage(
            width: Self.side, height: Self.side,
            pixels: Self.photo.pixels.map { UInt8(min(max(level(Double($0)), 0), 255)) })
    }

    @Test("a good photo is good in every aspect, and every aspect is graded")
    func good() {
        let quality = quality()
        // The pack does not grade the length of descriptors.
        #expect(
            quality.parts.map(\.aspect) == FaceQuality.Aspect.allCases.filter { $0 != .strength })
        #expect(
            quality.parts.allSatisfy { $0.grade >= 80 },
            "\(quality.parts.map { "\($0.aspect) \($0.grade)" })")
        #expect(quality.reasons().isEmpty)
    }

    @Test("the score is the lowest of the grades")
    func lowest() {
        let bad = quality(eyes: EyeOpening(right: 0.05, left: 0.2), rival: 0.6)
        #expect(bad.score == bad.parts.map(\.grade).min())
        #expect(bad.score == bad[.eyes]?.grade)
    }

    @Test("the grade falls as the face darkens, until it is too dark")
    func dark() throws {
        let grades = try [0.8, 0.4, 0.3, 0.2].map { k in
            try #require(quality(in: changed { $0 * k })[.exposure])
        }
        #expect(
            zip(grades, grades.dropFirst()).allSatisfy {
                $0.grade >= $1.grade && $0.value > $1.value
            })
        #expect(grades.last!.grade < 48 && grades.last!.reason == .tooDark)
        #expect(quality(in: changed { $0 * 0.2 }).reasons().contains(.tooDark))
    }

    @Test("the grade falls as the face brightens, until it is too bright")
    func bright() throws {
        let grades = try [0.8, 0.4, 0.2, 0.1].map { k in
            try #require(quality(in: changed { 255 - (255 - $0) * k })[.exposure])
        }
        #expect(
            zip(grades, grades.dropFirst()).allSatisfy {
                $0.grade >= $1.grade && $0.value < $1.value
            })
        #expect(grades.last!.grade < 48 && grades.last!.reason == .tooBright)
    }

    @Test("a half blown-out face is too bright, even if its mean is fair")
    func clipped() throws {
        let image = RGBImage.made(width: Self.side, height: Self.side) { x, y in
            x > 140 ? .white : RGBColor(60, 60, 60)
        }
        let part = try #require(quality(in: image)[.exposure])
        #expect((80...190).contains(part.value))
        #expect(part.grade < 48)
    }

    @Test("blurring lowers sharpness step by step, until the face is blurred")
    func blurred() throws {
        var image = Self.photo
        var parts: [FaceQuality.Part] = [try #require(quality()[.sharpness])]
        for _ in 0..<4 {
            image = image.boxBlurred(radius: 2)
            parts.append(try #require(quality(in: image)[.sharpness]))
        }
        #expect(
            zip(parts, parts.dropFirst()).allSatisfy {
                $0.value > $1.value && $0.grade >= $1.grade
            }, "\(parts.map(\.value))")
        #expect(parts.last!.grade < 48)
        #expect(quality(in: image).reasons() == [.blurred])
    }

    @Test("sharpness hardly depends on contrast")
    func sharpnessAndContrast() throws {
        let full = try #require(quality()[.sharpness]),
            half = try #require(quality(in: changed { 128 + ($0 - 128) * 0.5 })[.sharpness])
        #expect(abs(full.value - half.value) < 0.1 * full.value)
    }

    @Test("a face without contrast is reported")
    func flat() throws {
        let parts = try [1, 0.5, 0.2, 0.1].map { k in
            try #require(quality(in: changed { 128 + ($0 - 128) * k })[.contrast])
        }
        #expect(
            zip(parts, parts.dropFirst()).allSatisfy { $0.value > $1.value && $0.grade >= $1.grade }
        )
        #expect(parts.last!.grade < 48 && parts.last!.reason == .lowContrast)
    }

    @Test("a small face is too small, measured between the eyes")
    func small() throws {
        let parts = try [70.0, 40, 20, 12].map {
            try #require(quality(of: mesh(halfWidth: $0))[.size])
        }
        #expect(zip(parts, parts.dropFirst()).allSatisfy { $0.grade >= $1.grade })
        #expect(abs(parts[3].value - 0.87 * 12) < 0.01)
        #expect(parts[3].grade < 48 && parts[3].reason == .tooSmall)
    }

    @Test("a face larger than its picture is too large")
    func large() throws {
        let part = try #require(quality(of: mesh(halfWidth: 150))[.size])
        #expect(part.grade < 48 && part.reason == .tooLarge)
    }

    @Test("a turned or nodding head is not frontal, but a tilted one is")
    func pose() throws {
        for (yaw, pitch) in [(45, 3), (-45, 3), (0, 48), (0, -42)] as [(Float, Float)] {
            let part = try #require(quality(of: mesh(yaw: yaw, pitch: pitch))[.pose])
            #expect(abs(part.value - 45) < 0.5)
            #expect(part.grade < 48 && part.reason == .notFrontal)
        }
        let parts = try [0, 15, 30, 50].map { yaw in
            try #require(quality(of: mesh(yaw: yaw))[.pose])
        }
        #expect(zip(parts, parts.dropFirst()).allSatisfy { $0.grade > $1.grade })
        #expect(try #require(quality(of: mesh(roll: 60))[.pose]).grade >= 95)
    }

    @Test(
        "a face partly outside the picture is off center",
        arguments: [
            Point(x: 0, y: 150), Point(x: 300, y: 150), Point(x: 150, y: 0), Point(x: 150, y: 300),
        ])
    func framing(center: Point) throws {
        let part = try #require(quality(of: mesh(at: center))[.framing])
        #expect(part.value > 0.3 && part.value < 0.7)
        #expect(part.grade < 48 && part.reason == .offCenter)
        #expect(try #require(quality()[.framing]).value == 1)
    }

    @Test(
        "the less open eye decides, and closed eyes are reported",
        arguments: [EyeOpening(right: 0.25, left: 0.04), EyeOpening(right: 0.04, left: 0.25)])
    func eyes(opening: EyeOpening) throws {
        let part = try #require(quality(eyes: opening)[.eyes])
        #expect(part.value == 0.04)
        #expect(part.grade < 48 && part.reason == .eyesClosed)
        #expect(quality(eyes: opening).reasons() == [.eyesClosed])
    }

    @Test("eyes that were not read are omitted")
    func noEyes() { #expect(quality(eyes: nil)[.eyes] == nil) }

    @Test("a second face nearly as large counts against the photo, a small one does not")
    func rivals() throws {
        #expect(try #require(quality(rival: 0.3)[.singleFace]).grade == 100)
        #expect(quality(rival: 0.8).reasons() == [.multipleFaces])
        #expect(try #require(quality(rival: 3)[.singleFace]).grade == 0)
    }

    @Test("a low-evidence mesh counts as covered")
    func occluded() throws {
        let parts = try [26.0, 18, 10, 2].map {
            try #require(quality(of: mesh(evidence: $0))[.visibility])
        }
        #expect(zip(parts, parts.dropFirst()).allSatisfy { $0.grade > $1.grade })
        #expect(quality(of: mesh(evidence: 8)).reasons() == [.occluded])
    }

    @Test("a small, blurred, or covered face is not scored, whatever quality is enough")
    func notScored() {
        #expect(quality().reasonsNotToScore().isEmpty)
        #expect(quality(of: mesh(evidence: 8)).reasonsNotToScore() == [.occluded])
        #expect(quality(of: mesh(halfWidth: 11)).reasonsNotToScore().contains(.tooSmall))
        let blurred = QualityAssessorTests.photo.resized(width: 30, height: 30)
            .resized(width: Self.side, height: Self.side)
        #expect(quality(in: blurred).reasonsNotToScore().contains(.blurred))
        // Other faults do not raise false matches: only the requested quality refuses them.
        let turned = quality(of: mesh(yaw: 45), rival: 0.8)
        #expect(turned.reasonsNotToScore().isEmpty && !turned.reasonsNotToScore(below: 48).isEmpty)
        #expect(quality(eyes: EyeOpening(right: 0, left: 0)).reasonsNotToScore().isEmpty)
        #expect(quality(of: mesh(halfWidth: 190)).reasonsNotToScore().contains(.tooLarge) == false)
    }

    @Test("where the mesh network sees no face, nobody is asked to uncover one or to come closer")
    func nobody() {
        #expect(quality(of: mesh(evidence: 0.1)).reasons() == [.occluded])
        for evidence in [0.0, -20, .nan] {
            #expect(quality(of: mesh(evidence: evidence)).reasons() == [.noFace])
            let reasons = quality(of: mesh(halfWidth: 5, evidence: evidence), rival: 3).reasons()
            #expect(reasons == [.noFace] && reasons.map { Guidance($0) } == [.faceNotFound])
        }
    }

    @Test("a face entirely outside the picture, or without size, is graded without a crash")
    func nowhere() {
        #expect(quality(of: mesh(at: Point(x: -5000, y: 9000))).reasons().contains(.offCenter))
        #expect(quality(of: mesh(halfWidth: 0)).reasons().contains(.tooSmall))
        #expect(quality(of: mesh(halfWidth: 1e9)).reasons().contains(.tooLarge))
        #expect(quality(of: mesh(halfWidth: 1e30)).reasons().contains(.tooLarge))
    }
}

extension RGBImage {
    /// Returns the picture with each pixel replaced by the mean of those at most `radius` away in
    /// both directions, with the edge repeated.
    fileprivate func boxBlurred(radius: Int) -> RGBImage {
        func along(_ image: RGBImage, _ dx: Int, _ dy: Int) -> RGBImage {
            RGBImage.made(width: width, height: height) { x, y in
                let levels = (-radius...radius).map { k in
                    Int(
                        image[
                            min(max(x + k * dx, 0), width - 1), min(max(y + k * dy, 0), height - 1)
                        ].green)
                }
                let mean = UInt8(levels.reduce(0, +) / levels.count)
                return RGBColor(mean, mean, mean)
            }
        }
        return along(along(self, 1, 0), 0, 1)
    }
}
