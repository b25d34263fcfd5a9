@testable import BelfryServices
import Testing

struct DiskFloorTests {
    private static let gigabyte: Int64 = 1_000_000_000

    @Test("SEC-9: the floor is five percent of the disk, and at most 10 GB")
    func standard() {
        #expect(DiskFloor.standard.bytes(of: 24_000_000) == 1_200_000)
        #expect(DiskFloor.standard.bytes(of: 100 * Self.gigabyte) == 5 * Self.gigabyte)
        #expect(DiskFloor.standard.bytes(of: 4_000 * Self.gigabyte) == 10 * Self.gigabyte)
        #expect(DiskFloor.standard.bytes(of: .max) == 10 * Self.gigabyte)
    }

    @Test("SEC-9, CLI-2: the floor is a share, an amount or off; anything else is refused")
    func reading() {
        #expect(DiskFloor("off") == .off)
        #expect(DiskFloor("3%")?.bytes(of: 1_000_000_000_000) == 30 * Self.gigabyte)
        #expect(DiskFloor("500MB") == .bytes(500_000_000))
        #expect(DiskFloor("2GB") == .bytes(2 * Self.gigabyte))
        #expect(DiskFloor("64KB") == .bytes(64_000))
        #expect(DiskFloor("99999TB") == .bytes(99_999 * 1_000 * Self.gigabyte))
        let rejected = [
            "", "5", "%", "0%", "91%", "-1%", "5 %", "5%%", "1.5GB", "2gb", "GB", "999999MB", "5\u{301}%", "٥%", "5%\0",
        ]
        for text in rejected { #expect(DiskFloor(text) == nil, "'\(text)'") }
    }

    @Test("SEC-9: data in the log counts as used, because it is still to be copied into the file")
    func log() {
        var level = DiskLevel()
        level.take(DiskSpace(total: 1_000, available: 200, unsettled: 50), floor: .bytes(100), isSettled: true)
        #expect(!level.isLow)
        level.take(DiskSpace(total: 1_000, available: 140, unsettled: 50), floor: .bytes(100), isSettled: true)
        #expect(level.isLow, "140 are free, and 90 when the log has been copied")
    }

    @Test("SEC-9: writes are accepted again only well above the floor")
    func hysteresis() {
        var level = DiskLevel()
        var seen: [Bool] = []
        for available: Int64 in [100, 99, 100, 109, 110, 105, 100, 99] {
            level.take(
                DiskSpace(total: 1_000, available: available, unsettled: 0), floor: .bytes(100), isSettled: false)
            seen.append(level.isLow)
        }
        #expect(seen == [false, true, true, true, false, false, false, true])
    }

    @Test("SEC-9: without a floor even a full disk rejects nobody in advance")
    func off() {
        var level = DiskLevel()
        level.take(DiskSpace(total: 1_000, available: 0, unsettled: 50), floor: .off, isSettled: true)
        #expect(!level.isLow && !level.wantsRoom)
    }

    @Test(
        "SEC-9: until the log was copied back, the store closes only if that cannot help, or may be impossible",
        arguments: [
            // Bytes that are free, those of the log, whether it closes at once, and once the log was copied back.
            (160, 32, false, false), (128, 32, false, true), (99, 0, true, true), (70, 29, true, true),
            (81, 32, true, true), (82, 32, false, true),
        ] as [(Int64, Int64, Bool, Bool)]
    )
    func unsettled(available: Int64, log: Int64, atOnce: Bool, settled: Bool) {
        let space = DiskSpace(total: 1_000, available: available, unsettled: log)
        var level = DiskLevel()
        level.take(space, floor: .bytes(100), isSettled: false)
        #expect(level.isLow == atOnce && level.wantsRoom == settled)
        level.take(space, floor: .bytes(100), isSettled: true)
        #expect(level.isLow == settled)
    }
}
