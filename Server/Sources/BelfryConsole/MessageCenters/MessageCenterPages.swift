import BelfryModel
import BelfryServerModel
import BelfryServices
import Hummingbird

/// The pages of message centers: their messages, the recall of one message, and the view of one contact (CON-8).
enum MessageCenterPages {
    private static let messages = "/apps/{app}/campaigns/{id}/messages"

    static let routes: [ConsoleRoute] = [
        .get("/apps/{app}/centers", .app(.view), list),
        .get("/apps/{app}/centers/{center}", .app(.view), center),
        .get("/apps/{app}/inbox", .app(.view), inbox),
        .get(messages, .app(.view), placed),
        .get("\(messages)/recall", .app(.compose)) { call in .page(try await question(call)) },
        .post("\(messages)/recall", .app(.compose), audit: "message.recall", recall),
    ]

    private static func list(_ call: ConsoleCall) async throws -> ConsoleResponse {
        let app = try call.inApp()
        let centers = try await call.services.messageCenters.all(of: app)
        let counts = try await call.services.messageCenters.campaignCounts(of: app)
        let model = CenterListModel(
            centers, counts: counts, base: call.link("/centers"), inboxAddress: call.link("/inbox"),
            settingsAddress: try call.rights().contains(.administer) ? call.link("/settings/centers") : nil
        )
        return .page(Page("Message centers", template: "centers", section: .centers, model: model))
    }

    private static func center(_ call: ConsoleCall) async throws -> ConsoleResponse {
        let cursor: Int64? = WholeNumber.read(call.query["before"])
        let found = try await call.services.messageCenters.campaigns(
            in: try call.part("center"), app: try call.inApp(), before: cursor, limit: CenterModel.pageSize
        )
        let model = CenterModel(
            found.center, found.campaigns, next: found.next, isFirstPage: cursor == nil, centers: call.link("/centers"),
            campaigns: call.link("/campaigns"), mayCompose: try call.rights().contains(.compose)
        )
        return .page(Page(model.centerTitle, template: "center", section: .centers, model: model))
    }

    private static func placed(_ call: ConsoleCall) async throws -> ConsoleResponse {
        let (app, cursor): (AppService.App, Int64?) = (try call.inApp(), WholeNumber.read(call.query["after"]))
        let campaign = try await call.services.campaigns.queries.campaign(try call.campaign(), app: app)
        let found = try await call.services.placedMessages.messages(
            of: campaign.id, app: app, after: cursor, limit: PlacedModel.pageSize
        )
        let model = PlacedModel(
            campaign, found.messages, next: found.next, isFirstPage: cursor == nil, base: call.link(""),
            zone: AppZone(app.settings), mayRecall: try call.rights().contains(.compose)
        )
        return .page(
            Page("Messages of \(campaign.draft.name.isolated)", template: "placed", section: .centers, model: model))
    }

    private static func question(_ call: ConsoleCall, problem: String? = nil) async throws -> Page {
        let campaign = try await call.services.campaigns.queries.campaign(try call.campaign(), app: try call.inApp())
        let fields = call.form.contains("contact") || call.form.contains("device") ? call.form : call.query
        let (contact, device) = (fields["contact"], fields["device"])
        let holder = contact.isEmpty ? "the device \(device.isolated)" : contact.isolated
        let page = call.link("/campaigns/\(campaign.id)/messages")
        return Page(
            "Recall a message", template: "confirm", section: .centers,
            model: ConfirmModel(
                "Recall '\(campaign.draft.name.isolated)' from \(holder)?",
                consequences: [
                    "The message goes from all devices at their next fetch.", "It is not placed again.",
                    "What was read cannot be unread: other people keep theirs.",
                ],
                button: "Recall it", form: "\(page)/recall", back: page, backTitle: "Messages",
                formToken: try call.signedIn().formToken, hidden: ["contact": contact, "device": device],
                problem: problem
            )
        )
    }

    private static func recall(_ call: ConsoleCall) async throws -> ConsoleResponse {
        let (id, app) = (try call.campaign(), try call.inApp())
        do {
            var key = call.form["contact"]
            if key.isEmpty {
                let device = call.form["device"]
                guard let contact = try await call.services.directory.device(device, app: app).contact else {
                    throw ServiceError.notFound(what: "contact on the device", id: String(device.prefix(64)))
                }
                key = contact.key
            }
            try await call.services.placedMessages.recall(id, fromContact: key, app: app)
        } catch let error as ServiceError {
            let problem = ErrorPage(error)
            return .pageWithStatus(try await question(call, problem: problem.sentence), problem.status)
        }
        return .redirect(
            call.link("/campaigns/\(id)/messages"),
            notice: .done("The message was recalled. Devices let it go at their next fetch.")
        )
    }

    private static func inbox(_ call: ConsoleCall) async throws -> ConsoleResponse {
        let (app, key) = (try call.inApp(), call.query["key"])
        var model = InboxModel(key: key, address: call.link("/inbox"), centersAddress: call.link("/centers"))
        guard !key.isEmpty else { return .page(page(model)) }
        do {
            let inbox = try await call.services.placedMessages.inbox(ofContact: key, app: app)
            model.show(inbox, base: call.link(""), zone: AppZone(app.settings))
            return .page(page(model))
        } catch ServiceError.notFound(what: "contact", id: _, code: _) {
            model.keyProblem = "Nobody has this key. Look for the person among the people, or type another key."
            return .pageWithStatus(page(model), .notFound)
        }
    }

    private static func page(_ model: InboxModel) -> Page {
        Page("What a contact sees", template: "inbox", section: .centers, model: model)
    }
}
