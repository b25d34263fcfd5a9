import Belfry
import BelfryModel
import Foundation
import Testing

@testable import BelfryPhone

@Suite("What a phone's system keeps on the disk", .timeLimit(.minutes(10)))
struct PhoneSystemFileTests {
    private static let noon = PhoneSystemTests.noon
    private static let unreadable = "The stored data of the phone's system cannot be read: the phone starts without it."
    private static let sale = #"{"aps":{"alert":"Sale"}}"#

    private static func json(
        permission: String = "granted", badge: String = "1", notifications: String = "[]", more: String = ""
    ) -> String {
        """
        {"permission":"\(permission)","badge":\(badge),"notifications":\(notifications),"newestPush":0\(more)}
        """
    }

    /// One notification as the file has it; the date is in seconds since 2001.
    private static func stored(_ payload: String, at: String = "0") -> String {
        #"{"payload":"\#(Data(payload.utf8).base64EncodedString())","at":\#(at)}"#
    }

    /// The same in a file with no other notification.
    private static func lying(_ payload: String, at: String = "0") -> String {
        json(notifications: "[" + stored(payload, at: at) + "]")
    }

    /// A phone whose system had stored a text.
    private static func phone(_ text: String, in directory: URL) throws -> Phone {
        let world = try PhoneWorld.unreachable(directory: directory)
        let folder = world.folder(ofPhone: 1)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: folder.appending(path: "phone-system.json"))
        return Phone(number: 1, world: world)
    }

    private static func happens(_ text: String, on phone: Phone) async throws {
        while !phone.notes.inspector.lines.contains(where: { $0.text.contains(text) }) {
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    @Test(
        "CON-14: a phone that is started anew knows the person's answer, its notifications and the number on the icon"
    )
    func restart() async throws {
        let directory = PhoneWorld.newDirectory
        defer { try? FileManager.default.removeItem(at: directory) }
        let first = Phone(number: 1, world: try .unreachable(directory: directory))
        await first.perform(PhoneAction(.setting, on: true))
        for (number, title) in ["One", "Two", "Three"].enumerated() {
            await first.pushes.deliver(PhoneSystemTests.arrival(title, id: title, collapse: title, badge: number + 2))
        }
        let cleared = try #require(await first.view().notifications.first { $0.title == "Two" })
        await first.perform(PhoneAction(.dismiss, number: cleared.id))
        await first.end()

        let later = Self.noon.addingTimeInterval(3_600)
        let second = Phone(number: 1, world: try .unreachable(directory: directory, now: later))
        let view = await second.view()
        #expect(view.permission == .granted && view.badge == 4)
        #expect(view.place == .lockScreen && view.process == .notRunning)
        #expect(view.notifications.map(\.title) == ["Three", "One"])
        #expect(view.notifications.allSatisfy { $0.at == Self.noon && $0.isBelfrys })
        #expect(second.notes.inspector.lines.isEmpty)
        // What comes now replaces one of before, by its collapse id alone.
        await second.pushes.deliver(PhoneSystemTests.arrival("Again", id: "4", collapse: "One"))
        let notifications = await second.view().notifications
        #expect(notifications.map(\.title) == ["Again", "Three"])
        #expect(Set(notifications.map(\.id)).count == 2)
        let former = try #require(notifications.last)
        await second.perform(PhoneAction(.tap, number: former.id))
        let opened = await second.view()
        #expect(opened.place == .app && opened.notifications.map(\.title) == ["Again"])

        // Another phone has its own; an app that is installed anew begins anew.
        let other = Phone(number: 2, world: try .unreachable(directory: directory))
        #expect(await other.view().permission == .notAsked)
        await second.perform(PhoneAction(.reinstall))
        await second.end()
        let third = Phone(number: 1, world: try .unreachable(directory: directory))
        let anew = await third.view()
        #expect(anew.permission == .notAsked && anew.badge == 0 && anew.notifications.isEmpty)
    }

    @Test("CON-14: a phone that is started anew hears what has come for its token meanwhile, and nothing twice")
    func token() async throws {
        let directory = PhoneWorld.newDirectory
        defer { try? FileManager.default.removeItem(at: directory) }
        let service = ScriptedPushService()
        func phone() throws -> Phone { Phone(number: 1, world: try .unreachable(service, directory: directory)) }
        func isHeard(_ times: Int) async throws {
            while await service.heardAfter.count < times {
                try Task.checkCancellation()
                await Task.yield()
            }
        }
        let first = try phone()
        for action in [PhoneAction(.open), PhoneAction(.ask), PhoneAction(.answer, on: true)] {
            await first.perform(action)
        }
        try await Self.happens("APNs has given the app a token.", on: first)
        try await isHeard(1)
        await first.end()

        let second = try phone()
        await second.switchOn()
        try await isHeard(2)
        await service.tell(.arrived(PhoneSystemTests.arrival("Meanwhile", id: "1", number: 8)))
        try await Self.happens("The push “Meanwhile” is on the lock screen.", on: second)
        await second.end()

        let third = try phone()
        await third.switchOn()
        try await isHeard(3)
        #expect(await third.view().notifications.map(\.title) == ["Meanwhile"])
        await service.tell(.tokenUnknown)
        try await Self.happens("no longer knows this phone's token", on: third)
        await third.end()

        let fourth = try phone()
        await fourth.switchOn()
        #expect(fourth.system.current.pushToken == nil)
        let (heardAfter, tokens) = await (service.heardAfter, service.tokens)
        #expect(heardAfter == [0, 0, 8] && tokens.count == 1)
    }

    @Test("CON-14: the push that APNs keeps for a phone without a network outlives the phones' program")
    func held() async throws {
        let directory = PhoneWorld.newDirectory
        defer { try? FileManager.default.removeItem(at: directory) }
        let service = ScriptedPushService()
        func phone() throws -> Phone { Phone(number: 1, world: try .unreachable(service, directory: directory)) }
        let first = try phone()
        for action in [PhoneAction(.open), PhoneAction(.ask), PhoneAction(.answer, on: true)] {
            await first.perform(action)
        }
        while await !service.isHeard {
            try Task.checkCancellation()
            await Task.yield()
        }
        await first.perform(PhoneAction(.airplane, on: true))
        let end = Self.noon.addingTimeInterval(60)
        let kept = PhoneSystemTests.arrival("Kept", id: "1", collapse: "k", badge: 7, expiresAt: end, number: 5)
        await service.tell(.arrived(kept))
        try await Self.happens("APNs keeps the push until the phone has a network.", on: first)
        await first.end()
        let file = PhoneSystemFile(folder: directory.appending(path: "phone-1"))
        #expect(try file.read(now: Self.noon)?.held == kept)

        let second = try phone()
        await second.switchOn()
        let view = await second.view()
        #expect(view.notifications.map(\.title) == ["Kept"] && view.badge == 7)
        while await service.heardAfter.count < 2 {
            try Task.checkCancellation()
            await Task.yield()
        }
        // It is one that the phone has had.
        #expect(await service.heardAfter == [0, 5])
        await second.end()
        let third = try phone()
        await third.switchOn()
        #expect(await third.view().notifications.map(\.title) == ["Kept"])
        await third.end()
    }

    @Test("CON-15: the inspector says of a push that APNs has kept that it has expired, and that it is not delivered")
    func expired() async throws {
        let directory = PhoneWorld.newDirectory
        defer { try? FileManager.default.removeItem(at: directory) }
        let sleepers = PhoneWorld.Sleepers()
        let first = Phone(number: 1, world: try .unreachable(directory: directory, sleepers: sleepers))
        await first.perform(PhoneAction(.setting, on: true))
        await first.perform(PhoneAction(.airplane, on: true))
        let end = Self.noon.addingTimeInterval(60)
        await first.pushes.deliver(PhoneSystemTests.arrival("Late", id: "1", expiresAt: end, number: 5))
        #expect(await first.says(of: "The app").contains("APNs keeps one push until the phone has a network."))
        sleepers.pass(60)
        let meanwhile = "The push that APNs has kept has expired meanwhile: it is not delivered."
        #expect(await first.says(of: "The app").contains(meanwhile))
        await first.end()

        // It is told once, whether the phones' program was started anew or the network is back.
        let sentence = "The push has expired before the phone had a network, and is not delivered."
        let second = Phone(number: 1, world: try .unreachable(directory: directory, now: end))
        await second.switchOn()
        #expect(second.notes.inspector.lines.map(\.text) == [sentence])
        #expect(await second.view().notifications.isEmpty)
        await second.end()
        let later = PhoneWorld.Sleepers()
        let third = Phone(number: 2, world: try .unreachable(directory: directory, sleepers: later))
        await third.perform(PhoneAction(.setting, on: true))
        await third.perform(PhoneAction(.airplane, on: true))
        await third.pushes.deliver(PhoneSystemTests.arrival("Late", id: "1", expiresAt: end))
        later.pass(60)
        await third.perform(PhoneAction(.airplane, on: false))
        await third.perform(PhoneAction(.airplane, on: true))
        await third.perform(PhoneAction(.airplane, on: false))
        #expect(third.notes.inspector.lines.filter { $0.text == sentence }.count == 1)
        #expect(await third.view().notifications.isEmpty)
        await third.end()
    }

    private static let damagedTexts: [String] = [
        "", "[]", "{", "{}", json(permission: "perhaps"), json(badge: "-1"), json(badge: "1e308"), json(badge: "null"),
        json(more: #","pushToken":"../keys""#), json(more: #","pushToken":"""#), lying("no JSON"),
        lying(#"{"aps":{"badge":1}}"#), lying(sale, at: "-1e308"), json(notifications: #"[{"payload":"%","at":0}]"#),
        json(more: #","held":{"payload":"%","id":"","isBackground":false,"number":1}"#),
        json(more: #","held":{"payload":"","id":"","isBackground":false,"number":-1}"#), json(more: #","held":{}"#),
        json(more: #","formerTokens":["../keys"]"#),
        json(more: #","formerTokens":["# + Array(repeating: "\"a\"", count: 21).joined(separator: ",") + "]"),
        json(notifications: "[" + Array(repeating: stored(sale), count: 101).joined(separator: ",") + "]"),
    ]

    @Test(
        "CON-14: a file of the system that is damaged, or of nobody's making, is told, and the phone begins anew",
        arguments: damagedTexts
    )
    func damaged(_ text: String) async throws {
        let directory = PhoneWorld.newDirectory
        defer { try? FileManager.default.removeItem(at: directory) }
        let phone = try Self.phone(text, in: directory)
        #expect(phone.system.current.kept == PhoneSystem.Kept())
        #expect(phone.notes.inspector.lines.map(\.text) == [Self.unreadable])
        // It is replaced with the next change.
        await phone.perform(PhoneAction(.setting, on: false))
        let file = PhoneSystemFile(folder: directory.appending(path: "phone-1"))
        #expect(try file.read(now: Self.noon)?.permission == .denied)
    }

    @Test("CON-14: members of the file that a version does not know are passed over, and no notification is of later")
    func later() async throws {
        let directory = PhoneWorld.newDirectory
        defer { try? FileManager.default.removeItem(at: directory) }
        let notifications = "[" + Self.stored(Self.sale, at: "1e308") + "]"
        let text = Self.json(notifications: notifications, more: #","wallpaper":"blue""#)
        let phone = try Self.phone(text, in: directory)
        let view = await phone.view()
        #expect(view.permission == .granted && view.badge == 1)
        #expect(view.notifications.map(\.body) == ["Sale"] && view.notifications.map(\.at) == [Self.noon])
        #expect(phone.notes.inspector.lines.isEmpty)
    }

    @Test("CON-14: as many notifications as a phone keeps, with the longest payloads, fit into its file")
    func bound() throws {
        let folder = PhoneWorld.newDirectory
        defer { try? FileManager.default.removeItem(at: folder) }
        var system = PhoneSystem()
        system.permission = .granted
        let text = String(repeating: "ÿ", count: 2_500)
        let payload = Data(#"{"aps":{"alert":"Sale"},"more":"\#(text)"}"#.utf8)
        for number in 0..<(PhoneSystem.maximumNotifications + 5) {
            let arrival = PushArrival(
                payload: payload, id: "\(number)", collapseID: "\(number)\(String(repeating: "x", count: 60))",
                isBackground: false, expiresAt: nil, number: number
            )
            _ = system.receive(arrival, now: Self.noon)
        }
        let file = PhoneSystemFile(folder: folder)
        try file.write(system.kept)
        let kept = try #require(try file.read(now: Self.noon))
        #expect(kept.notifications.count == PhoneSystem.maximumNotifications)
        #expect(kept.notifications.map(\.collapseID) == system.notifications.map(\.collapseID))
        #expect(kept.notifications.allSatisfy { $0.payload == payload } && kept.newestPush == 104)
        // It is never longer than what is read.
        let long = PushArrival(
            payload: payload, id: "", collapseID: String(repeating: "x", count: PhoneSystemFile.maximumBytes),
            isBackground: false, expiresAt: nil
        )
        _ = system.receive(long, now: Self.noon)
        let tooMuch = system.kept
        #expect(throws: PhoneSystemFile.TooLong.self) { try file.write(tooMuch) }
        #expect(try file.read(now: Self.noon) == kept)
        let padded = Self.json(more: String(repeating: " ", count: PhoneSystemFile.maximumBytes))
        try Data(padded.utf8).write(to: folder.appending(path: "phone-system.json"))
        #expect(throws: PhoneSystemFile.Damaged.self) { try file.read(now: Self.noon) }
    }
}
