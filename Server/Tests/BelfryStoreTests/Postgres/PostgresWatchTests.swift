@testable import BelfryPostgres
import BelfryServerTestSupport
import Foundation
import Synchronization
import Testing

/// FLEET-7: who waits for a server that says nothing any more is let go when another one leads, or when it answers
/// nobody.
struct PostgresWatchTests {
    private static let old = PostgresWatch.Server(place: 0, mark: "old")
    private static let new = PostgresWatch.Server(place: 1, mark: "new")

    /// Runs a body while a connection waits for a server, and then another statement on the connection.
    ///
    /// - Parameters:
    ///   - seconds: how long it waits.
    ///   - finding: what somebody finds out who asks.
    ///   - server: as far as it is known.
    /// - Returns: whether the connection is still of use, whether its server was left, and how often somebody asked.
    private static func wait(
        _ seconds: Double, _ finding: PostgresWatch.Finding, for server: PostgresWatch.Server = old
    ) throws -> (isOpen: Bool, isLeft: Bool, questions: Int) {
        let link = try PostgresLink(TestPostgres.address(schema: "public").settings)
        let hold = try #require(SocketHold(link.socket))
        let clock = ManualClock(storeEpoch)
        let questions = Mutex(0)
        let watch = PostgresWatch(now: { clock.now }) { silent in
            questions.withLock { $0 += 1 }
            #expect(silent == server)
            return finding
        }
        watch.during(server, hold) {
            clock.advance(by: seconds)
            watch.look()
        }
        // It waits no more.
        clock.advance(by: 1_000)
        watch.look()
        let isOpen = (try? link.command("SELECT 1")) != nil
        return (isOpen, watch.isLeft(server), questions.withLock { $0 })
    }

    @Test("FLEET-7: a connection to a server that is silent ends when another server takes the writes")
    func takenOver() throws {
        let found = try Self.wait(3, .leads(Self.new))
        #expect(!found.isOpen && found.isLeft && found.questions == 1)
    }

    @Test("FLEET-7, STO-2: a connection to a server that is silent ends when nobody leads, and it answers nobody")
    func standsStill() throws {
        let found = try Self.wait(3, .isGone)
        #expect(!found.isOpen && found.isLeft && found.questions == 1)
    }

    @Test("FLEET-7: a server that has answered nobody is of use again when it answers")
    func goesOn() throws {
        let link = try PostgresLink(TestPostgres.address(schema: "public").settings)
        let hold = try #require(SocketHold(link.socket))
        let clock = ManualClock(storeEpoch)
        let watch = PostgresWatch(now: { clock.now }) { _ in .isGone }
        watch.during(Self.old, hold) {
            clock.advance(by: 3)
            watch.look()
        }
        #expect(watch.isLeft(Self.old) && !watch.isLeft(Self.new))
        watch.answered(Self.old)
        #expect(!watch.isLeft(Self.old))
    }

    @Test("FLEET-7: a server that answers others meanwhile is there, however slow it is")
    func answersOthers() throws {
        let link = try PostgresLink(TestPostgres.address(schema: "public").settings)
        let hold = try #require(SocketHold(link.socket))
        let clock = ManualClock(storeEpoch)
        let itself = Mutex<PostgresWatch?>(nil)
        let watch = PostgresWatch(now: { clock.now }) { silent in
            // Somebody who came later has an answer by now.
            itself.withLock { $0 }?.during(silent, hold) {}
            return .isGone
        }
        itself.withLock { $0 = watch }
        watch.during(Self.old, hold) {
            clock.advance(by: 3)
            watch.look()
        }
        let isOpen = (try? link.command("SELECT 1")) != nil
        #expect(isOpen && !watch.isLeft(Self.old))
    }

    @Test("FLEET-7: a connection that is being made has more time, and ends when another place leads or nobody answers")
    func newcomer() throws {
        let unnamed = PostgresWatch.Server(place: 0, mark: "")
        let quick = try Self.wait(9.9, .isGone, for: unnamed)
        #expect(quick.isOpen && quick.questions == 0)
        for finding in [PostgresWatch.Finding.leads(Self.old), .isThere] {
            #expect(try Self.wait(10, finding, for: unnamed).isOpen)
        }
        for finding in [PostgresWatch.Finding.leads(Self.new), .isGone] {
            let found = try Self.wait(10, finding, for: unnamed)
            #expect(!found.isOpen && !found.isLeft, "which run of the server it was is not known")
        }
    }

    @Test("FLEET-7: a statement that takes long is not disturbed while its server leads, or nobody does")
    func slow() throws {
        // The same server may be reached in another place.
        let leaders = [Self.old, PostgresWatch.Server(place: 1, mark: "old")]
        for finding in leaders.map(PostgresWatch.Finding.leads) + [.isThere] {
            let found = try Self.wait(600, finding)
            #expect(found.isOpen && !found.isLeft && found.questions == 1)
        }
    }

    @Test("FLEET-7: nobody is asked while the server answers within its time")
    func quick() throws {
        let found = try Self.wait(2.9, .leads(Self.new))
        #expect(found.isOpen && !found.isLeft && found.questions == 0)
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

    @Test("FLEET-7: a server that answers whoever comes anew, and be it by a refusal, is told from one that is silent")
    func answers() throws {
        let text = try TestPostgres.text(schema: "public")
        let here = PostgresWatch.Server(place: 0, mark: "")
        #expect(PostgresEntry.answers(try PostgresAddress(text).settings, at: here))
        let unknown = try PostgresAddress(text + "&dbname=none-\(UUID().uuidString)")
        #expect(throws: PostgresError.self) { try PostgresLink(unknown.settings) }
        #expect(PostgresEntry.answers(unknown.settings, at: here))
        let silence = try SilentListener()
        let silent = try PostgresAddress("postgres://u@127.0.0.1:\(silence.port)/d?connect_timeout=2")
        #expect(!PostgresEntry.answers(silent.settings, at: here))
        withExtendedLifetime(silence) {}
    }
}

/// Takes connections, and says nothing to anybody.
private final class SilentListener {
    let port: UInt16
    private let descriptor: Int32

    init() throws {
        #if canImport(Glibc)
            let stream = Int32(SOCK_STREAM.rawValue)
        #else
            let stream = SOCK_STREAM
        #endif
        let descriptor = socket(AF_INET, stream, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, size) == 0 && listen(descriptor, 4) == 0
                    && getsockname(descriptor, address, &size) == 0
            }
        }
        try #require(isBound)
        self.descriptor = descriptor
        port = UInt16(bigEndian: address.sin_port)
    }

    deinit {
        close(descriptor)
    }
}
