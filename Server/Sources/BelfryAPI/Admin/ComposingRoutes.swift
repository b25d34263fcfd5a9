import BelfryModel
import BelfryServerModel
import BelfryServices
import BelfryWire

/// The routes that help to compose: some people of an audience and their time zones, a draft's texts for one person,
/// and the messages that a contact sees in the message centers (CON-5, CON-8).
package enum ComposingRoutes {
    static let maximumAttributes = 10

    static let all = [sampleAudience.route, previewDraft.route, readContactInbox.route]

    package static let sampleAudience = AdminRoute(
        .post(audit: "audience.sample"), inApp: "/audience/sample", id: "sampleAudience", .campaigns, scope: .read,
        summary: "Show some people of an audience, and the time zones of its devices",
        description: "Nothing is saved or sent. An audience that takes too long is rejected (`tooExpensive`).",
        response: "At most \(AudienceQueries.samplePeople) people, and the most frequent time zones.", does: sample
    )

    package static let previewDraft = AdminRoute(
        .post(audit: "campaign.preview"), inApp: "/preview", id: "previewDraft", .campaigns, scope: .read,
        summary: "Preview a campaign for one person, before it is saved",
        description: """
            To a contact, or to an invented person. The campaign is not checked: the reason why a text cannot be \
            rendered, or that there is more of something than a campaign may have, is in the response.
            """,
        response: "The texts for this person.", does: preview
    )

    package static let readContactInbox = AdminRoute(
        .get, inApp: "/contacts/{contactKey}/inbox", id: "readContactInbox", .people, scope: .read,
        summary: "Show what a contact sees in the message centers",
        description: "The newest messages of each center as devices fetch them, and the badges of the newest devices.",
        response: "Every message center, and the badges.", does: inbox
    )

    private static func sample(
        _ call: AdminCall<AudienceSampleRequest>, app: AppService.App
    ) async throws -> Done<AudienceSampleResponse> {
        let response = try await call.costlyRead { body in
            let attributes = body.attributes ?? []
            guard attributes.count <= maximumAttributes else {
                throw APIError(
                    .unprocessableContent, ErrorCode.outOfRange, "Name at most \(maximumAttributes) attributes.",
                    target: "attributes"
                )
            }
            let campaigns = call.services.campaigns
            let people = try await campaigns.audiences.people(of: body.audience, attributes: attributes, app: app)
            let zones = try await campaigns.audiences.zones(of: body.audience, app: app)
            return AudienceSampleResponse(people, zones)
        }
        return Done(response)
    }

    private static func preview(
        _ call: AdminCall<DraftPreviewRequest>, app: AppService.App
    ) async throws -> Done<DraftPreviewResponse> {
        let zone = DateZone(named: app.settings.timeZoneName)
        let json = try await call.costlyRead(datesIn: zone) { body in
            let preview = try await call.services.campaigns.draftPreviews.preview(
                of: body.campaign.draft, as: body.person, locale: body.locale, app: app
            )
            return try BoundedPreviews(DraftPreviewResponse(preview)).json
        }
        return Done(json: json, to: nil)
    }

    private static func inbox(
        _ call: AdminCall<NoBody>, app: AppService.App
    ) async throws -> Done<ContactInboxResponse> {
        let inbox = try await call.services.placedMessages.inbox(ofContact: call.part("contactKey"), app: app)
        return Done(ContactInboxResponse(inbox))
    }
}
