import BelfryModel
import BelfryServerModel
import BelfryServices
import Testing

@testable import BelfryConsole

@Suite("CON-10: attributes, message centers, keys and people of an app")
struct SettingsPartsTests {
    private static let base = "/console/apps/shop/settings"

    @Test("CON-10: attributes are defined in bulk, all or none, changed and removed after a question")
    func attributes() async throws {
        try await TestConsole.run { console in
            let app = try await console.services.apps.create(code: "shop", name: "Shop").app
            let admin = try await console.visitor(as: "anna", roles: [app.id: .admin])
            let page = "\(Self.base)/attributes"
            let empty = try await admin.get(page)
            #expect(
                empty.text.contains("No attributes yet") && empty.text.contains("belfry app attribute shop city string")
            )
            let wrong = try await admin.submit(
                "\(page)/define", ["version": empty.hidden("version"), "definitions": "city string\nage years"]
            )
            #expect(wrong.status == .unprocessableContent && wrong.text.contains("city string\nage years"))
            #expect(wrong.text.replacing("&#39;", with: "'").contains("'age years' is no definition."))
            let defined = try await admin.submit(
                "\(page)/define",
                ["version": empty.hidden("version"), "definitions": "city string\n\nage=number\nplan : string"]
            )
            #expect(defined.status == .seeOther)
            #expect(
                try await console.services.apps.attributes(of: app) == [
                    "city": .string, "age": .number, "plan": .string,
                ])
            let seen = try await admin.get(page).hidden("version")
            let changed = try await admin.submit("\(page)/change", ["version": seen, "key": "age", "type": "string"])
            #expect(changed.status == .seeOther)
            // Somebody who still sees the former ones.
            let late = try await admin.submit("\(page)/change", ["version": seen, "key": "age", "type": "date"])
            #expect(late.status == .conflict && late.text.contains("You wanted &#39;age&#39; to be date."))
            let question = try await admin.get("\(page)/remove?key=plan")
            #expect(question.text.contains("Remove the attribute &#39;plan&#39;?"))
            let outdated = try await admin.submit("\(page)/remove", ["version": seen, "key": "plan"])
            #expect(outdated.status == .conflict && outdated.text.contains("Somebody else has changed this meanwhile."))
            let removed = try await admin.submit(
                "\(page)/remove", ["version": question.hidden("version"), "key": "plan"]
            )
            #expect(removed.status == .seeOther)
            #expect(try await console.services.apps.attributes(of: app) == ["city": .string, "age": .string])
            let actions = try await console.lines().map(\.action)
            #expect(actions == ["attribute.remove", "attribute.define", "attribute.defineAll"])
        }
    }

    @Test("CON-10, MC-2: message centers are made, labelled, switched off and removed; the primary one stays")
    func centers() async throws {
        try await TestConsole.run { console in
            let story = try await CampaignStory(console)
            let admin = try await story.person(.admin)
            let page = "\(Self.base)/centers"
            #expect(try await admin.get(page).text.contains("belfry app message-center set shop Offers"))
            #expect(
                try await admin.submit("\(page)/create", ["name": "Offers", "label": "For you"]).status == .seeOther)
            let twice = try await admin.submit("\(page)/create", ["name": "Offers", "label": "Again"])
            #expect(twice.status == .unprocessableContent && twice.text.contains("There is already a message center"))
            #expect(twice.text.contains("value=\"Again\""))
            let center = MessageCenter(name: try MessageCenterName("Offers"), label: "For you")
            let seen = CenterSettingForm(center).version
            let changed = try await admin.submit(
                "\(page)/change", ["version": seen, "center": "Offers", "label": "Offers for you"]
            )
            #expect(changed.status == .seeOther)
            let stored = try await console.services.messageCenters.all(of: story.app).last
            #expect(stored?.label == "Offers for you" && stored?.isEnabled == false)
            let late = try await admin.submit(
                "\(page)/change", ["version": seen, "center": "Offers", "label": "Mine", "enabled": "yes"]
            )
            #expect(late.status == .conflict && late.text.contains("value=\"Mine\""))
            #expect(late.text.contains("<code>Offers for you</code>") && late.text.contains("<code>off</code>"))
            let long = try await admin.submit(
                "\(page)/change",
                ["version": seen, "center": "Offers", "label": String(repeating: "l", count: 65), "enabled": "yes"]
            )
            #expect(long.status == .unprocessableContent && long.text.contains("A label has at most 64 characters"))
            #expect(try await admin.submit("\(page)/remove", ["name": "Primary"]).status == .conflict)
            #expect(try await admin.submit("\(page)/remove", ["name": "Offers"]).status == .seeOther)
            #expect(try await console.services.messageCenters.all(of: story.app).count == 1)
        }
    }

    @Test("CON-10, ADM-6: a key is shown once and never again, listed by its label, and revoked after a question")
    func keys() async throws {
        try await TestConsole.run { console in
            let app = try await console.services.apps.create(code: "shop", name: "Shop").app
            let admin = try await console.visitor(as: "anna", roles: [app.id: .admin])
            let page = "\(Self.base)/keys"
            let wrong = try await admin.submit("\(page)/create", ["label": "Back end", "scope": "", "expiresAt": ""])
            #expect(wrong.status == .unprocessableContent && wrong.text.contains("value=\"Back end\""))
            let past = try await admin.submit(
                "\(page)/create", ["label": "Back end", "scope": "read", "expiresAt": "2020-01-01"])
            #expect(past.status == .unprocessableContent && past.text.contains("A key expires in the future."))
            let made = try await admin.submit("\(page)/create", ["label": "Back end", "scope": "campaign"])
            #expect(made.status == .ok)
            let start = try #require(made.text.range(of: "<code>bk_"))
            let secret = "bk_" + made.text[start.upperBound...].prefix { $0 != "<" }
            #expect(try await console.services.access.principal(bearer: secret).app == app.id)
            let list = try await admin.get(page).text
            #expect(!list.contains(secret) && list.contains("Back end"))
            let key = try #require(
                try await console.services.adminKeys.list(app: app, before: nil, limit: 9).keys.first)
            #expect(try await admin.get("\(page)/\(key.name)/revoke").text.contains("Revoke it"))
            #expect(
                try await console.services.access.principal(bearer: secret).app == app.id, "a question changes nothing")
            #expect(try await admin.submit("\(page)/\(key.name)/revoke").status == .seeOther)
            await #expect(throws: ServiceError.self) { _ = try await console.services.access.principal(bearer: secret) }
            let lines = try await console.lines()
            #expect(lines.map(\.action) == ["key.revoke", "key.create"] && lines.allSatisfy { $0.target == key.name })
        }
    }

    @Test("CON-3, CON-10: an admin gives, changes and takes roles; nobody changes their own")
    func roles() async throws {
        try await TestConsole.run { console in
            let story = try await CampaignStory(console)
            let admin = try await console.visitor(as: "anna", roles: [story.app.id: .admin])
            let ben = try await console.visitor(as: "ben")
            let page = "\(Self.base)/people"
            let unknown = try await admin.submit("\(page)/add", ["user": "nobody", "role": "viewer"])
            #expect(unknown.status == .unprocessableContent && unknown.text.contains("Nobody signs in as"))
            #expect(unknown.text.contains("value=\"nobody\""))
            #expect(try await admin.submit("\(page)/add", ["user": "Ben", "role": "viewer"]).status == .seeOther)
            #expect(try await ben.get("/console/apps/shop").status == .ok, "a first role ends no session")
            let twice = try await admin.submit("\(page)/add", ["user": "ben", "role": "admin"])
            #expect(twice.status == .unprocessableContent && twice.text.contains("has a role here already"))
            let changed = try await admin.submit(
                "\(page)/change", ["user": "ben", "version": "viewer", "role": "marketer"])
            #expect(changed.status == .seeOther)
            #expect(try await ben.get("/console/apps/shop").status == .seeOther, "a changed role is signed in to anew")
            let late = try await admin.submit("\(page)/change", ["user": "ben", "version": "viewer", "role": "admin"])
            #expect(late.status == .conflict && late.text.contains("You wanted ben to be an admin."))
            #expect(try await console.services.users.find("ben").roles[story.app.id] == .marketer)
            for action in ["change", "remove"] {
                let own = try await admin.submit(
                    "\(page)/\(action)", ["user": "anna", "version": "admin", "role": "viewer"])
                #expect(own.status == .unprocessableContent && own.text.contains("This is your own role."))
            }
            #expect(try await admin.get("\(page)/remove?user=ben").text.contains("is a marketer of this app"))
            let outdated = try await admin.submit("\(page)/remove", ["user": "ben", "version": "viewer"])
            #expect(outdated.status == .conflict)
            #expect(
                try await admin.submit("\(page)/remove", ["user": "ben", "version": "marketer"]).status == .seeOther)
            #expect(try await console.services.users.find("ben").roles.isEmpty)
        }
    }
}
