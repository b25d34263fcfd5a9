import BelfryModel
import BelfryServerModel
import BelfryServices
import Hummingbird

/// The HTML of a campaign's message as devices show it, for the frames on the campaign's page (CON-8).
enum MessagePages {
    static let routes: [ConsoleRoute] = [
        .get("/apps/{app}/campaigns/{id}/page", .app(.view), page)
    ]

    private static func page(_ call: ConsoleCall) async throws -> ConsoleResponse {
        let app = try call.inApp()
        let draft = try await call.services.campaigns.queries.campaign(try call.campaign(), app: app).draft
        let part = MessagePage.Part(rawValue: call.query["part"]) ?? .inApp
        let locale = call.query["locale"]
        let html: String?
        do {
            // The templates of a campaign may take long to compile.
            let preview = try await call.services.previews.pass(try call.principal()) {
                try await call.services.campaigns.draftPreviews.preview(
                    of: draft, as: .invented([:]), locale: locale.isEmpty ? nil : locale, app: app
                )
            }
            html =
                MessagePage.html(preview, type: draft.inApp?.type, part: part, look: PhoneLook(call.query))
                ?? preview.problem.map(MessagePage.sentence)
        } catch let error as ServiceError {
            html = MessagePage.sentence(ErrorPage(error).sentence)
        }
        return .sandboxed(
            html: html ?? MessagePage.sentence("This campaign shows no page."), policy: MessagePage.policy
        )
    }
}

extension PhonePage {
    /// The pages of a campaign's message, light and dark; empty for a message without a page.
    static func all(_ draft: CampaignDraft, page: String) -> [PhonePage] {
        let part: (name: MessagePage.Part, title: String)
        if let message = draft.inApp, message.type != .action {
            part = (.inApp, "In the app")
        } else if draft.kind.keepsMessage, draft.messageCenter?.richHtml != nil {
            part = (.rich, "When the message is opened")
        } else {
            return []
        }
        return [PhoneLook(), PhoneLook(isDark: true)].map { look in
            PhonePage(part.title, look, source: "\(page)/page?part=\(part.name.rawValue)&\(look.query)")
        }
    }
}
