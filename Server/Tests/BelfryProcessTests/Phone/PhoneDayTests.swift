import BelfryAPI
import BelfryModel
import BelfryServerModel
import Foundation
import Testing

/// What happens to a phone, from its page to the server's ledger.
@Suite("A phone's day with a server", .timeLimit(.minutes(15)))
struct PhoneDayTests {
    @Test(
        "CON-14, CON-15: edits, events and a logout in airplane mode wait, in order, and arrive as the right person's")
    func airplane() async throws {
        try await withStage { stage in
            try await stage.withPhoneShop { admin, phones in
                let phone = phones.phone()
                let device = try await phone.begin(admin)
                try await phone.press("login", name: "ann")
                try await eventually("the device is Ann's") {
                    try await admin.device(device)
                } until: {
                    $0.contactKey == "ann"
                }
                try await phone.press("airplane", on: true)
                try await phone.press("attribute", name: "city", value: "Oslo")
                try await phone.press("buy", name: "lamp")
                // The login is an edit of the record, too, and may wait for its minute.
                try await phone.sees("the edit of city and the event wait for the network") {
                    $0.says(of: "Registration").contains(/^The edits? of .*city waits? for the network\./)
                        && $0.says(of: "Event queue").contains("wait")
                        && $0.says(of: "The app").contains("airplane mode")
                }
                try await phone.press("logout")
                try await phone.press("buy", name: "bottle")
                try await phone.press("airplane", on: false)
                try await eventually("the device is nobody's") {
                    try await admin.device(device)
                } until: {
                    $0.contactKey?.hasPrefix("anonymous:") == true
                }
                let events = try await eventually("both purchases are stored") {
                    try await admin.events(of: device).filter { $0.name == "basket:add" }
                } until: {
                    $0.count == 2
                }
                // The newest first.
                #expect(events.map { $0.attributes["sku"] } == [.string("bottle"), .string("lamp")])
                let sight = try await phone.sees("nothing waits") {
                    $0.says(of: "Event queue").hasPrefix("No event waits")
                }
                #expect(sight.screen.app?.person == nil)
            }
        }
    }

    @Test(
        "CON-14, CON-15, REG-32: a lost token is found out by a push, explained, and replaced when the app starts again"
    )
    func token() async throws {
        try await withStage { stage in
            try await stage.withPhoneShop { admin, phones in
                let phone = phones.phone()
                let device = try await phone.begin(admin)
                let first = try #require(try await admin.device(device).pushToken)
                try await phone.press("tokenLost")
                let lost = try await admin.push("Lost")
                #expect(try await admin.explain(lost.id, device: device).state == DeliveryState.rejected.rawValue)
                #expect(try await admin.device(device).optOut?.reason == .tokenInvalid)
                try await phone.press("kill")
                try await phone.press("open")
                try await eventually("the server has a new token") {
                    try await admin.device(device)
                } until: {
                    $0.pushToken != nil && $0.pushToken != first && $0.push.eligible
                }
                let sight = try await phone.sees("its token is young") {
                    $0.says(of: "Push token").contains("The server has it since")
                }
                #expect(sight.says(of: "Push token").contains("APNs gave it"))
                try await phone.press("lock")
                _ = try await admin.push("Found")
                try await phone.sees("the push has come") { $0.titles == ["Found"] }
            }
        }
    }

    @Test("CON-14, EVT-9, REG-4: a clock that is set ahead and back loses nothing, and the server has the right times")
    func clock() async throws {
        try await withStage { stage in
            try await stage.withPhoneShop { admin, phones in
                let phone = phones.phone()
                let device = try await phone.begin(admin)
                try await phone.press("clock", seconds: 86_400)
                try await phone.press("attribute", name: "city", value: "Oslo")
                try await phone.press("track", name: "ahead")
                try await phone.sees("it is sent") { $0.says(of: "Event queue").hasPrefix("No event waits") }
                try await phone.sees("the minute between two registrations is over by its clock") {
                    $0.isRegistered && $0.says(of: "Registration").contains("accepted the record")
                }
                try await phone.press("clock", seconds: -86_400)
                try await phone.press("track", name: "behind")
                // The offset is that of the upload (EVT-9).
                try await phone.sees("it is sent") { $0.says(of: "Event queue").hasPrefix("No event waits") }
                try await phone.press("clock", seconds: 0)
                try await phone.press("track", name: "right")
                let events = try await eventually("all events are stored") {
                    try await admin.events(of: device).filter { ["ahead", "behind", "right"].contains($0.name) }
                } until: {
                    $0.count == 3
                }
                let now = Date()
                for event in events {
                    let date = try #require(Timestamp.date(event.correctedTimestamp ?? event.timestamp), "\(event)")
                    #expect(abs(date.timeIntervalSince(now)) < 43_200, "\(event)")
                }
                try await phone.sees("the clock is right again, and the record was accepted") { sight in
                    sight.lines.contains { $0.contains("right again") }
                        && sight.says(of: "Registration").contains("accepted")
                }
            }
        }
    }
}
