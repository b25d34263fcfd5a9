import BelfryServerTestSupport
import BelfryStore
import Foundation
import Testing

/// STO-2: what a database has just run may be the last that holds it.
struct LastHolderTests {
    /// A place whose store is held by the write under way alone.
    ///
    /// - Parameter go: until it is given, the writer is at work.
    private static func placeAtWork(_ engine: Engine, until go: Handover<Bool>) throws -> URL {
        let store = try TestStore(engine)
        store.database.write { [store] _ in
            withExtendedLifetime(store) { go.wait() }
        } completion: { _ in
        }
        return store.place
    }

    @Test("STO-2: the writer of a database lets go of the last that holds it, and ends", arguments: Engine.allCases)
    func ends(_ engine: Engine) async throws {
        let go = Handover<Bool>()
        let place = try Self.placeAtWork(engine, until: go)
        #expect(FileManager.default.fileExists(atPath: place.path))
        go.give(true)
        while FileManager.default.fileExists(atPath: place.path) { await Task.yield() }
    }
}
