import BelfryAPI
import BelfryModel
import BelfryServerModel
import Foundation
import Testing

/// Persons with two phones, and phones with two persons.
@Suite("People and their phones", .timeLimit(.minutes(15)))
struct PhonePeopleTests {
    /// A message for one person, which counts on the icon.
    private static func letter(_ subject: String, to person: String) -> CampaignRequest {
        CampaignRequest(
            name: subject, kind: .pushAndMessageCenter, audience: .contactKeys([person]),
            push: PushContent(title: subject, body: "It stays in the app."),
            messageCenter: MessageCenterContent(badge: BadgeChange(op: .increment))
        )
    }

    private func logIn(_ person: String, _ phone: PhonePage, _ admin: AdminCaller) async throws -> String {
        let device = try await phone.begin(admin)
        try await phone.press("login", name: person)
        try await isLinked(device, to: person, admin)
        return device
    }

    private func isLinked(_ device: String, to person: String, _ admin: AdminCaller) async throws {
        try await eventually("\(person) is known on the device") {
            try await admin.device(device)
        } until: {
            $0.contactKey == person && $0.push.eligible
        }
    }

    @Test("CON-14, MC-14: what Ann reads on one of her phones is read on the other; both icons count, and are cleared")
    func twoPhones() async throws {
        try await withStage { stage in
            try await stage.withPhoneShop { admin, phones in
                let (one, other) = (phones.phone(1), phones.phone(2))
                for phone in [one, other] {
                    _ = try await logIn("ann", phone, admin)
                    try await phone.press("lock")
                }
                _ = try await admin.launch(Self.letter("Your ticket", to: "ann"))
                for phone in [one, other] {
                    try await phone.sees("the push is on the lock screen, with the badge") {
                        $0.titles == ["Your ticket"] && $0.screen.badge == 1
                    }
                }
                try await one.press("tap", number: try #require(try await one.look().screen.notifications.first?.id))
                let letter = try await one.sees("the message is in the inbox") { $0.screen.app?.messages.count == 1 }
                try await one.press("message", name: try #require(letter.screen.app?.messages.first?.id))
                try await one.press("resetBadge")
                try await one.sees("it is read") { $0.screen.app?.unread == 0 && $0.screen.badge == 0 }
                try await one.press("flush")
                // The phone sends it by itself, and the other one asks for the inbox once.
                try await eventually("the server has it as read") {
                    try await admin.send(
                        .GET, admin.path("contacts/ann/inbox"), String?.none, as: ContactInboxResponse.self)
                } until: {
                    $0.centers.flatMap(\.messages).map(\.state) == [.read]
                }

                try await other.press("open")
                try await other.sees("it is read there, too") { $0.screen.app?.messages.map(\.isUnread) == [false] }
                try await other.press("resetBadge")
                try await other.sees("the icons agree") { $0.screen.badge == 0 }
            }
        }
    }

    @Test("CON-14, MC-15: a push from before a login opens its message after it, though no list has that")
    func beforeLogin() async throws {
        try await withStage { stage in
            try await stage.withPhoneShop { admin, phones in
                let phone = phones.phone()
                let device = try await phone.begin(admin)
                try await phone.press("lock")
                _ = try await admin.launch(
                    CampaignRequest(
                        name: "Welcome", kind: .pushAndMessageCenter, audience: .everyone,
                        push: PushContent(
                            title: "Welcome", body: "Come in.", action: NotificationAction(type: .openRichMessage)
                        ),
                        messageCenter: MessageCenterContent(richHtml: "<h1>Come in</h1>")
                    )
                )
                try await phone.sees("the push is on the lock screen") { $0.titles == ["Welcome"] }
                try await phone.press("open")
                try await phone.press("login", name: "ann")
                try await isLinked(device, to: "ann", admin)
                let ann = try await phone.sees("the login hides what came before") {
                    $0.screen.app?.person == "ann" && $0.screen.app?.messages.isEmpty == true
                }
                try await phone.press("tap", number: try #require(ann.screen.notifications.first?.id))
                let open = try await phone.sees("the message and its page are open") {
                    $0.screen.app?.message?.hasPage == true
                }
                #expect(open.screen.app?.message?.message.subject == "Welcome", "\(open)")
                #expect(open.screen.app?.messages.isEmpty == true, "\(open)")
            }
        }
    }

    @Test("CON-14, ID-4: on one phone, the next person sees neither messages nor notifications of the person before")
    func twoPersons() async throws {
        try await withStage { stage in
            try await stage.withPhoneShop { admin, phones in
                let phone = phones.phone()
                let device = try await logIn("ann", phone, admin)
                try await phone.press("lock")
                _ = try await admin.launch(Self.letter("For Ann", to: "ann"))
                try await phone.sees("Ann's push is on the lock screen") { $0.titles == ["For Ann"] }
                try await phone.press("open")
                try await phone.sees("Ann has her message") { $0.screen.app?.messages.map(\.subject) == ["For Ann"] }

                // A push for Ann comes while Ben is logging in: to her device, and not to him.
                try await phone.press("logout")
                try await phone.sees("nothing of hers is left") {
                    $0.titles.isEmpty && $0.screen.app?.messages.isEmpty == true
                }
                try await phone.press("login", name: "ben")
                try await isLinked(device, to: "ben", admin)
                _ = try await admin.launch(Self.letter("For Ben", to: "ben"))
                try await phone.press("refreshInbox")
                let ben = try await phone.sees("Ben has his message") { $0.screen.app?.messages.isEmpty == false }
                #expect(ben.screen.app?.messages.map(\.subject) == ["For Ben"], "\(ben)")
                #expect(!ben.titles.contains("For Ann"))

                // Ann is back, and finds hers again.
                try await phone.press("login", name: "ann")
                try await isLinked(device, to: "ann", admin)
                try await phone.press("refreshInbox")
                let ann = try await phone.sees("Ann has her message again") { $0.screen.app?.messages.isEmpty == false }
                #expect(ann.screen.app?.messages.map(\.subject) == ["For Ann"], "\(ann)")
            }
        }
    }
}
