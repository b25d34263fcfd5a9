import BelfryServices
import Foundation
import Testing

/// FLEET-11: that a database is damaged is known until somebody has looked after it.
struct DamageMarkTests {
    /// A data directory, which is gone when the test is over.
    private final class Folder: Sendable {
        let url = FileManager.default.temporaryDirectory.appending(path: "belfry-damage-\(UUID().uuidString)")
        var mark: URL { url.appending(path: DamageMark.fileName) }

        init() throws {
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        }

        deinit {
            try? FileManager.default.removeItem(at: url)
        }
    }

    private static func process(of world: ServiceWorld, in folder: URL) -> DamageMark {
        DamageMark(in: folder, now: world.environment.now, logger: world.logger)
    }

    @Test("FLEET-11: an error that means damage is known to the next process, too, until an operator removes the mark")
    func outlivesTheProcess() async throws {
        let (world, folder) = (try await ServiceWorld(), try Folder())
        func damaged(_ mark: DamageMark) async -> Int? {
            await world.gauge(.damage(mark)).look()
            return world.metrics.values["belfry_database_damaged"]
        }
        let first = Self.process(of: world, in: folder.url)
        for word in ["busy", "full", "ioerr_fsync", "constraint_unique", "40001", "53100", "XX000", "corrupted"] {
            first.note(word)
        }
        #expect(await damaged(first) == 0)
        first.note("corrupt_index")
        world.clock.advance(by: 60)
        first.note("notadb")
        #expect(await damaged(first) == 1)
        let second = Self.process(of: world, in: folder.url)
        #expect(await damaged(second) == 1)
        #expect(try String(contentsOf: folder.mark, encoding: .utf8) == "2026-11-21T12:00:00.000Z corrupt_index\n")
        let logged = world.log.entries.filter { "\($0.message)".contains("damaged") }
        #expect(logged.map(\.level) == [.error])
        // Checked, or restored.
        try FileManager.default.removeItem(at: folder.mark)
        #expect(await damaged(second) == 0)
        // It was not over: the next error tells at once.
        second.note("XX001")
        #expect(await damaged(second) == 1)
    }

    @Test("FLEET-11: where the mark cannot be written this process tells, until it can be")
    func unwritten() async throws {
        let (world, folder) = (try await ServiceWorld(), try Folder())
        let place = folder.url.appending(path: "later")
        let mark = Self.process(of: world, in: place)
        for _ in 1...3 { mark.note("corrupt") }
        #expect(mark.isSet && !DamageMark.isSet(in: place))
        let logged = world.log.entries.filter { "\($0.message)".contains("damaged") }
        #expect(logged.count == 1)
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        mark.note("corrupt")
        #expect(DamageMark.isSet(in: place))
        try FileManager.default.removeItem(at: place.appending(path: DamageMark.fileName))
        #expect(!mark.isSet)
    }
}
