import Belfry
import BelfryModel
import Foundation
import Testing

@testable import BelfryPhone

@Suite("The phone's system")
struct PhoneSystemTests {
    static let noon = Date(timeIntervalSince1970: 1_800_000_000)

    static func arrival(
        _ title: String? = "Sale", id: String = "a", collapse: String? = nil, silent: Bool = false, badge: Int? = nil,
        expiresAt: Date? = nil, number: Int = 0
    ) -> PushArrival {
        var aps: [String: Any] = [:]
        if let title { aps["alert"] = ["title": title, "body": "Come in"] }
        if silent { aps["content-available"] = 1 }
        if let badge { aps["badge"] = badge }
        let payload: [String: Any] = ["aps": aps, "belfry": ["sid": "sid-\(id)"]]
        return PushArrival(
            payload: (try? JSONSerialization.data(withJSONObject: payload)) ?? Data(), id: id, collapseID: collapse,
            isBackground: silent, expiresAt: expiresAt, number: number
        )
    }

    private func fail(_ what: String = "another reception") {
        Issue.record(Comment(rawValue: what))
    }

    private static func system(_ process: PhoneSystem.Process, _ permission: PushPermission = .granted) -> PhoneSystem {
        var system = PhoneSystem()
        system.process = process
        system.permission = permission
        system.place = process == .foreground ? .app : .lockScreen
        return system
    }

    @Test("CON-14: a push is on the lock screen, whether the app runs or not, with its badge")
    func shown() throws {
        for process in [PhoneSystem.Process.notRunning, .killed, .background, .suspended] {
            var system = Self.system(process)
            guard case .shown(let notification, false, false) = system.receive(Self.arrival(badge: 3), now: Self.noon)
            else { return fail("\(process)") }
            #expect(notification.title == "Sale" && notification.body == "Come in")
            #expect(system.notifications.map(\.id) == [notification.id] && system.badge == 3)
        }
    }

    @Test("CON-14: without permission nothing is shown, and the badge stays")
    func denied() {
        for permission in [PushPermission.denied, .notAsked] {
            var system = Self.system(.background, permission)
            guard case .notAllowed = system.receive(Self.arrival(badge: 3), now: Self.noon) else {
                return fail("\(permission)")
            }
            #expect(system.notifications.isEmpty && system.badge == 0)
        }
    }

    @Test("CON-14: an app that is shown decides about the notification itself")
    func foreground() {
        var system = Self.system(.foreground)
        guard case .forApp = system.receive(Self.arrival(), now: Self.noon) else { return fail() }
        #expect(system.notifications.isEmpty)
    }

    @Test("CON-14: a collapse id replaces the notification with the same one, and no other")
    func collapse() {
        var system = Self.system(.suspended)
        _ = system.receive(Self.arrival("One", id: "1", collapse: "price"), now: Self.noon)
        _ = system.receive(Self.arrival("Two", id: "2", collapse: "news"), now: Self.noon)
        guard
            case .shown(_, true, _) = system.receive(Self.arrival("Three", id: "3", collapse: "price"), now: Self.noon)
        else { return fail() }
        #expect(system.notifications.map(\.title) == ["Two", "Three"])
    }

    @Test("CON-14: silent pushes wake a suspended app three times an hour, and a killed one never")
    func silent() {
        var system = Self.system(.suspended)
        func receive(_ second: TimeInterval) -> PhoneSystem.Reception {
            system.receive(Self.arrival(nil, silent: true), now: Self.noon.addingTimeInterval(second))
        }
        for second in [0.0, 10, 20] {
            guard case .woke = receive(second) else { return fail("\(second)") }
        }
        guard case .notWoken(_, .budget) = receive(30) else { return fail("budget") }
        guard case .woke = receive(3_601) else { return fail("the hour is over") }
        system.process = .killed
        guard case .notWoken(_, .killed) = receive(90_000) else { return fail("killed") }
    }

    @Test("CON-14: in airplane mode APNs keeps the newest push until it expires")
    func airplane() throws {
        var system = Self.system(.suspended)
        system.isOnline = false
        let end = Self.noon.addingTimeInterval(60)
        guard case .held(false) = system.receive(Self.arrival("One", id: "1", expiresAt: end), now: Self.noon),
            case .held(true) = system.receive(Self.arrival("Two", id: "2", expiresAt: end), now: Self.noon)
        else { return fail() }
        guard case .expired = system.receive(Self.arrival("Now", id: "3", expiresAt: Self.noon), now: Self.noon) else {
            return fail("a push that is not to be stored")
        }
        system.isOnline = true
        var later = system
        #expect(system.takeHeld(now: Self.noon)?.id == "2")
        #expect(system.takeHeld(now: Self.noon) == nil)
        #expect(later.takeHeld(now: end) == nil)
    }

    @Test(
        "CON-14: what is no payload is ignored",
        arguments: [
            "", "null", "[]", "{}", #"{"aps":[]}"#, #"{"aps":{"alert":{"title":""#, "\u{0}", "{\"aps\":{\"badge\":-1}}",
        ]
    )
    func garbage(_ payload: String) {
        var system = Self.system(.suspended)
        let arrival = PushArrival(
            payload: Data(payload.utf8), id: "x", collapseID: nil, isBackground: false, expiresAt: nil
        )
        _ = system.receive(arrival, now: Self.noon)
        #expect(system.notifications.isEmpty && system.badge == 0)
    }

    @Test("CON-14: the list of notifications is bounded, and the oldest go")
    func bound() {
        var system = Self.system(.suspended)
        for number in 0..<(PhoneSystem.maximumNotifications + 5) {
            _ = system.receive(Self.arrival("\(number)", id: "\(number)"), now: Self.noon)
        }
        #expect(system.notifications.count == PhoneSystem.maximumNotifications)
        #expect(system.notifications.first?.title == "5")
    }
}
