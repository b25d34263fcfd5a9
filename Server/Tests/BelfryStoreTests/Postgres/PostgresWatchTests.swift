@testable import BelfryPostgres
import BelfryServerTestSupport
import Foundation
import Synchronization
import Testing

/// FLEET-7: who waits for a server that says nothing any more is let go when another one leads.
struct PostgresWatchTests {
    private static let old = PostgresWatch.Server(place: 0, mark: "old")

    /// Runs a body while a connection waits for a server, and then another statement on the connection.
    ///
    /// - Parameters:
    ///   - seconds: how long it waits.
    ///   - leader: the mark of who leads; nil: nobody says so.
    /// - Returns: whether the connection is still of use, whether another server has taken over, and how often it was
    ///   asked.
    private static func wait(
        _ seconds: Double, leader: String?
    ) throws -> (isOpen: Bool, isDeposed: Bool, questions: Int) {
        let link = try PostgresLink(TestPostgres.address(schema: "public").settings)
        let hold = try #require(SocketHold(link.socket))
        let clock = ManualClock(storeEpoch)
        let questions = Mutex(0)
        let watch = PostgresWatch(now: { clock.now }) { silent in
            questions.withLock { $0 += 1 }
            #expect(silent.place == 0 && silent.mark == "old")
            return leader.map { PostgresWatch.Server(place: 1, mark: $0) }
        }
        watch.during(old, hold) {
            clock.advance(by: seconds)
            watch.look()
        }
        // It waits no more.
        clock.advance(by: 1_000)
        watch.look()
        let isOpen = (try? link.command("SELECT 1")) != nil
        return (isOpen, watch.isDeposed(old), questions.withLock { $0 })
    }

    @Test("FLEET-7: a connection to a server that is silent ends when another server takes the writes")
    func takenOver() throws {
        let found = try Self.wait(3, leader: "new")
        #expect(!found.isOpen && found.isDeposed && found.questions == 1)
    }

    @Test("FLEET-7: a statement that takes long is not disturbed while its server leads, or nobody does")
    func slow() throws {
        for leader in ["old", nil] {
            let found = try Self.wait(600, leader: leader)
            #expect(found.isOpen && !found.isDeposed && found.questions == 1)
        }
    }

    @Test("FLEET-7: nobody is asked while the server answers within its time")
    func quick() throws {
        let found = try Self.wait(2.9, leader: "new")
        #expect(found.isOpen && !found.isDeposed && found.questions == 0)
    }

    @Test("FLEET-7: a server says which run of it this is, and whom an address leads to is asked of the server itself")
    func marks() throws {
        let settings = try TestPostgres.address(schema: "public").settings
        let link = try PostgresLink(settings)
        let mark = try #require(try link.command(PostgresLink.mark).elements { $0.text(0) }.first)
        #expect(Double(mark) ?? 0 > 1_000_000_000)
        let leader = PostgresLink.findLeader(of: settings, beside: PostgresWatch.Server(place: 0, mark: "gone"))
        #expect(leader?.mark == mark && leader?.place == 0)
    }
}
