import BelfryModel
import BelfryWire
import Foundation
import Testing

@testable import Belfry
@testable import BelfryNotificationService

/// The folder that two processes share without a lock (PUSH-8).
@Suite(.timeLimit(.minutes(15)))
struct SharedFolderTests {
    private func note(_ sid: String, second: Int) throws -> PushNote {
        PushNote(
            try extensionPush(sid), receivedAt: World.epoch.addingTimeInterval(TimeInterval(second)), eventID: UUID(),
            brief: nil
        )
    }

    @Test("PUSH-8: the notes are limited, and the newest are kept; a push is noted once, in the order of arrival")
    func bounded() throws {
        let phone = try ExtendedPhone()
        defer { phone.clean() }
        for number in 0..<(SharedFolder.maximumNotes + 20) {
            _ = phone.folder.add(try note("S-\(number)", second: number))
        }
        let notes = phone.folder.notes()
        #expect(notes.count == SharedFolder.maximumNotes)
        #expect(notes.first?.payload.sid == "S-20" && notes.last?.payload.sid == "S-519")
        let first = try #require(notes.first)
        #expect(phone.folder.add(try note("S-20", second: 9_999))?.eventID == first.eventID)
        #expect(phone.folder.notes().count == SharedFolder.maximumNotes)
    }

    @Test(
        "PUSH-8: files that nobody of ours has written are removed and change nothing",
        arguments: [
            "", "{", "[]", #"{"payload":{}}"#, String(repeating: "[", count: 10_000), "\u{0}\u{0}",
        ])
    func foreignFiles(text: String) async throws {
        let phone = try ExtendedPhone()
        defer { phone.clean() }
        _ = phone.folder.add(try note("S-1", second: 1))
        let root = phone.group.appendingPathComponent("Belfry/shop")
        try Data(text.utf8).write(to: root.appendingPathComponent("notes/0000-x.json"))
        try Data(text.utf8).write(to: root.appendingPathComponent("app.json"))
        try Data(text.utf8).write(to: root.appendingPathComponent("token.json"))
        #expect(phone.folder.brief() == nil && phone.folder.renewedToken(for: "x") == nil)
        #expect(phone.folder.notes().map(\.payload.sid) == ["S-1"])
        let client = try await phone.world.start()
        try await client.flush()
        let device = try await client.state().deviceId
        #expect(phone.folder.brief()?.deviceID == device)
        await phone.world.kill()
    }

    @Test("PUSH-8: a note that cannot be read now, as before the first unlock of the device, is not lost")
    func lockedDevice() async throws {
        let phone = try ExtendedPhone()
        defer { phone.clean() }
        _ = phone.folder.add(try note("S-1", second: 0))
        let files = FileManager.default
        let folder = phone.group.appendingPathComponent("Belfry/shop/notes")
        let name = try #require(try files.contentsOfDirectory(atPath: folder.path).first)
        let content = phone.group.appendingPathComponent("content")
        let aside = phone.group.appendingPathComponent("aside")
        // A link to nothing: it is listed and cannot be read.
        try files.moveItem(at: folder.appendingPathComponent(name), to: aside)
        try files.createSymbolicLink(at: folder.appendingPathComponent(name), withDestinationURL: content)
        #expect(phone.folder.notes().isEmpty)
        let push = try extensionPush("S-2", badge: Badge(count: 2, revision: 5))
        #expect(phone.reception().decide(on: push).appearance == .shown(badge: 2))
        try files.moveItem(at: aside, to: content)
        #expect(Set(phone.folder.notes().map(\.payload.sid)) == ["S-1", "S-2"])
        let client = try await phone.world.start()
        try await client.flush()
        let received = await phone.world.server.events.filter { $0.name == "push:received" }
        let sids = Set(received.compactMap { $0.attributes["sid"] })
        #expect(sids == [.string("S-1"), .string("S-2")])
        #expect(phone.folder.notes().isEmpty)
        await phone.world.kill()
    }

    @Test("PUSH-8, REL-3: pushes that arrive while the app takes notes over are each recorded once, wherever it dies")
    func concurrent() async throws {
        let phone = try ExtendedPhone()
        defer { phone.clean() }
        let world = phone.world
        try await world.start()
        let sids = (0..<60).map { "S-\($0)" }
        await withTaskGroup(of: Void.self) { group in
            for part in 0..<3 {
                group.addTask {
                    for (number, sid) in sids.enumerated() where number % 3 == part {
                        guard let push = try? extensionPush(sid) else { continue }
                        _ = phone.reception(seed: UInt64(number) + 100).decide(on: push)
                        await Task.yield()
                    }
                }
            }
            group.addTask {
                for _ in 0..<20 {
                    try? await world.client.didEnterForeground()
                    _ = try? await world.restart()
                }
            }
        }
        try await world.client.didEnterForeground()
        try await world.client.flush()
        let received = await world.server.events.filter { $0.name == "push:received" }
        #expect(received.count == sids.count)
        #expect(Set(received.compactMap { $0.attributes["sid"] }) == Set(sids.map { .string($0) }))
        #expect(phone.folder.notes().isEmpty)
        await world.kill()
    }

    @Test("PUSH-8, REL-3: a kill between storing and removing a note records it once")
    func killedBetween() async throws {
        let phone = try ExtendedPhone()
        defer { phone.clean() }
        let world = phone.world
        try await world.start()
        let kept = try #require(phone.folder.add(try note("S-1", second: 1)))
        try await world.client.didEnterForeground()
        // As it was before the removal.
        _ = phone.folder.add(kept)
        try await world.restart()
        try await world.client.flush()
        #expect(await world.server.events.filter { $0.name == "push:received" }.count == 1)
        #expect(phone.folder.notes().isEmpty)
        await world.kill()
    }
}
