import BelfryAPI
import BelfryServices
import BelfryTestSupport
import Logging
import Testing

@Suite("Every operation of the description")
struct EveryOperationTests {
    /// In the order of a shop's life: each call finds what it needs, and removals come last.
    private static let order = [
        "readHealth", "readReadiness", "readMetrics", "readDescription",
        "createApp", "listApps", "createAdminKey", "listAdminKeys", "createUser", "listUsers", "setUserPassword",
        "changeUser", "listUserSessions", "endUserSession", "endUserSessions", "renameApp", "readServerState",
        "setUserRole", "listAppUsers", "removeUserRole", "deleteUser", "changeSettings", "readSettings",
        "putAPNsCredentials", "putFCMCredentials", "putWebPushCredentials", "listCredentials", "checkAPNsCredentials",
        "checkFCMCredentials", "checkWebPushCredentials", "readWebsite",
        "readServer", "defineAttribute", "defineAttributes",
        "listAttributes", "putMessageCenter", "listMessageCenters",
        "putClient", "readWebPushKey", "linkContact", "refreshContactToken", "refreshContactTokenByUnderscore",
        "putPushToken", "putPushTokenByUnderscore", "sendRegistration", "readRegistration", "sendEvents",
        "sendEventsOfVersion4", "readMessageCenters", "readCenterMessages", "readMessage", "readRichContent",
        "confirmRichContent", "withdrawRichContent", "putMessageState",
        "readBadge", "putBadge", "readInbox", "readInlineMessages", "readInlineMessagesOfVersion4",
        "syncInAppMessages", "listGeofences", "recommendProducts", "trackDeepLink",
        "deletePushToken", "deletePushTokenByUnderscore",
        "readDevice", "listDevices", "listDeviceEvents", "listContacts", "searchPeople", "readContact", "readTimeline",
        "renameContact",
        "readDayStatistics", "readCalendar", "countPressure", "readCampaignHours", "listRecipients", "search",
        "listCampaignVersions", "readCampaignVersion", "compareCampaignVersions", "createCampaignComment",
        "listCampaignComments", "deleteCampaignComment", "decideCampaignApproval", "readCampaignApproval",
        "restoreCampaignVersion", "proposeCampaignVersion", "publishCampaignVersion",
        "countAudience", "sampleAudience", "previewDraft",
        "createCampaign", "listCampaigns", "updateCampaign", "readCampaign", "previewCampaign",
        "dryRunCampaign", "testCampaign", "startRehearsal", "listRehearsals", "readRehearsal",
        "listRehearsedDevices", "cancelRehearsal", "launchCampaign", "compareRehearsal", "pauseCampaign",
        "resumeCampaign", "cancelCampaign", "recallCampaign", "explain", "listDeviceMessages",
        "listCampaignMessages", "listContactMessages", "readContactInbox", "recallContactMessage", "deleteCampaign",
        "listQuarantine", "retryWork", "dropWork",
        "revokeDevice", "deleteContact", "exportContact", "mergeContact", "eraseContact", "listErasures", "readErasure",
        "deleteMessageCenter", "removeAttribute",
        "removeAPNsCredentials", "removeFCMCredentials", "removeWebPushCredentials", "revokeAdminKey", "listAudit",
    ]

    @Test("WIRE-28: each operation succeeds with a body as described, in one story")
    func story() async throws {
        try await CallStage.run { stage in
            let description = APIDescription.own
            #expect(Self.order.sorted() == description.operations.map(\.id).sorted())
            try await Self.makeOrphan(stage)
            let inApp = try await Self.makeInApp(stage)
            var receipt = ""
            for id in Self.order {
                var call = try stage.call(id)
                if id == "launchCampaign" { try await Self.rehearse(stage) }
                if id == "compareRehearsal" {
                    call.address = "/api/v1/apps/shop/campaigns/1/rehearsals/2/comparison"
                }
                if id == "readErasure" { call.address = "/api/v1/apps/shop/erasures/\(receipt)" }
                if id == "deleteContact" { call.address = "/api/v1/apps/shop/contacts/orphan" }
                if id == "removeAttribute" { call.address = "/api/v1/apps/shop/attributes/shoe" }
                if id == "retryWork" { call.address = "/api/v1/quarantine/upkeep-events/retry" }
                if id == "proposeCampaignVersion" {
                    call.address = "/api/v1/apps/shop/campaigns/\(inApp)/versions"
                    call.body = try JSONValue(json: CallStage.inAppCampaign)
                }
                if id == "publishCampaignVersion" {
                    call.address = "/api/v1/apps/shop/campaigns/\(inApp)/versions/2/publish"
                }
                if id == "recallCampaign" { call.address = "/api/v1/apps/shop/campaigns/\(inApp)/recall" }
                let schema = call.operation.body ?? .object([:])
                let errors = call.body.map { description.leniently.errors(of: $0, schema) } ?? []
                #expect(errors == [], "\(id)")
                #expect((call.body == nil) == (call.operation.body == nil), "\(id) has no body to send")
                let response = try await stage.send(call)
                #expect(call.successes.contains(response.status.code), "\(id): \(response.text)")
                if id == "eraseContact" { receipt = try response.json(ContactErasureResponse.self).receipt }
            }
        }
    }

    /// A second rehearsal of the campaign, to its end.
    private static func rehearse(_ stage: CallStage) async throws {
        let started = try await stage.send(try stage.call("startRehearsal"))
        #expect(started.status == .accepted)
        let worker = RehearsalWorker(
            owner: "test", previews: stage.server.services.campaigns.previews, work: AsyncSignal(),
            logger: Logger(label: "belfry.test") { _ in SwiftLogNoOpLogHandler() }
        )
        await worker.runUntilIdle()
    }

    /// A contact that a device had and has no more.
    private static func makeOrphan(_ stage: CallStage) async throws {
        var device = TestDevice(stage.server)
        for key in ["orphan", "another"] {
            try await device.call(.post, "/client/contact", #"{"contactFieldValue":"\#(key)"}"#)
        }
    }

    /// An in-app campaign that devices may have.
    private static func makeInApp(_ stage: CallStage) async throws -> String {
        let path = "/apps/shop/campaigns"
        let created = try await stage.server.admin(.post, path, CallStage.inAppCampaign)
        let id = try created.json(CampaignStatusResponse.self).id
        #expect(try await stage.server.admin(.post, "\(path)/\(id)/launch").status == .accepted)
        return id
    }

    @Test("WIRE-28: both responses to events, and the kinds of receipts, are as described")
    func kinds() async throws {
        try await CallStage.run { stage in
            for id in ["sendEvents", "sendEventsOfVersion4"] {
                var call = try stage.call(id)
                #expect(try await stage.send(call).status == .noContent)
                call.body = .object(["events": .array([.object(["name": .string("x")]), .number(1)])])
                #expect(try await stage.send(call).status == .ok)
            }
            var call = try stage.call("sendRegistration")
            call.body?["registrationId"] = .string("1B0F8F6E-2A2C-4A7B-8B0E-6E2C3A4B5C6D")
            call.body?["attributes"] = .object(["shoe": .number(42)])
            #expect(try await stage.send(call).status == .created)
            #expect(try await stage.server.registrations.processWaiting() == 1)
            var receipt = try stage.call("readRegistration")
            receipt.address = receipt.address.replacing(
                CallStage.registrationID, with: "1B0F8F6E-2A2C-4A7B-8B0E-6E2C3A4B5C6D"
            )
            let response = try await stage.send(receipt)
            #expect(response.status == .ok && response.text.contains("undefinedAttribute"))
        }
    }

    @Test("WIRE-28: the statuses of an operation are those of its access")
    func statuses() throws {
        for operation in APIDescription.own.operations {
            let statuses = Set(operation.responses.keys)
            #expect(
                statuses.contains("401") == (operation.needsContactToken || operation.scope != nil), "\(operation.id)")
            // An erased person's device, and two questions about a ledger that may have gone after its term.
            let mayBeGone = operation.isDevice || ["listRecipients", "compareRehearsal"].contains(operation.id)
            #expect(statuses.contains("410") == mayBeGone, "\(operation.id)")
            // Open to everybody, without a rate limit: the health of the server, and what says nothing to anybody.
            let isLimited = ![
                "readHealth", "readReadiness", "readMetrics", "recommendProducts", "trackDeepLink",
            ].contains(operation.id)
            #expect(statuses.contains("429") == isLimited, "\(operation.id)")
        }
    }
}
