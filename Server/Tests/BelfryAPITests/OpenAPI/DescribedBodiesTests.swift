import BelfryModel
import BelfryServerModel
import BelfryTestSupport
import BelfryWire
import Hummingbird
import Testing

@testable import BelfryAPI

@Suite("The bodies that the description allows")
struct DescribedBodiesTests {
    /// As the controllers read them.
    private static let readers: [(schema: String, read: @Sendable ([UInt8]) throws -> Void)] = [
        ("ClientProperties", { _ = try JSONBody.decode(ClientProperties.self, from: $0) }),
        ("ContactLinkRequest", { _ = try JSONBody.decode(ContactLinkRequest.self, from: $0) }),
        ("ContactTokenRequest", { _ = try JSONBody.decode(ContactTokenRequest.self, from: $0) }),
        ("PushTokenRequest", { _ = try JSONBody.decode(PushTokenRequest.self, from: $0) }),
        ("RegistrationSnapshot", { _ = try JSONBody.decode(RegistrationSnapshot.self, from: $0) }),
        ("MessageStateRequest", { _ = try JSONBody.decode(MessageStateRequest.self, from: $0) }),
        ("InlineMessagesRequest", { _ = try InlineBody($0) }),
        ("BadgeRequest", { _ = try JSONBody.decode(BadgeRequest.self, from: $0) }),
        (
            "MessageCenterChange",
            { bytes in
                try KnownKeys(of: MessageCenterChange.self).check(bytes)
                _ = try JSONBody.decode(MessageCenterChange.self, from: bytes)
            }
        ),
        ("CreateAppRequest", { _ = try JSONBody.decode(CreateAppRequest.self, from: $0) }),
        ("APNsCredentialsRequest", { _ = try JSONBody.decode(APNsCredentialsRequest.self, from: $0) }),
        ("FCMCredentialsRequest", { _ = try JSONBody.decode(FCMCredentialsRequest.self, from: $0) }),
        ("WebPushCredentialsRequest", { _ = try JSONBody.decode(WebPushCredentialsRequest.self, from: $0) }),
        (
            "CreateAdminKeyRequest",
            { bytes in
                try KnownKeys(of: CreateAdminKeyRequest.self).check(bytes)
                let zone = DateZone(named: "Europe/Paris")
                _ = try JSONBody.decode(CreateAdminKeyRequest.self, from: bytes, datesIn: zone)
            }
        ),
        ("CreateUserRequest", { _ = try JSONBody.decode(CreateUserRequest.self, from: $0) }),
        ("ChangeUserRequest", { _ = try JSONBody.decode(ChangeUserRequest.self, from: $0) }),
        ("RenameAppRequest", { _ = try JSONBody.decode(RenameAppRequest.self, from: $0) }),
        ("SetPasswordRequest", { _ = try JSONBody.decode(SetPasswordRequest.self, from: $0) }),
        ("SetUserRoleRequest", { _ = try JSONBody.decode(SetUserRoleRequest.self, from: $0) }),
        ("RenameContactRequest", { _ = try JSONBody.decode(RenameContactRequest.self, from: $0) }),
        ("MergeContactRequest", { _ = try JSONBody.decode(MergeContactRequest.self, from: $0) }),
        ("DefineAttributeRequest", { _ = try JSONBody.decode(DefineAttributeRequest.self, from: $0) }),
        ("DefineAttributesRequest", { _ = try JSONBody.decode(DefineAttributesRequest.self, from: $0) }),
        (
            "AppSettingsChange",
            { bytes in
                try KnownKeys(of: AppSettingsChange.self).check(bytes)
                _ = try JSONBody.decode(AppSettingsChange.self, from: bytes)
            }
        ),
        (
            "CampaignRequest",
            { bytes in
                try KnownKeys(of: CampaignRequest.self).check(bytes)
                let zone = DateZone(named: "Europe/Paris")
                _ = try JSONBody.decode(CampaignRequest.self, from: bytes, datesIn: zone)
            }
        ),
        (
            "AudienceCountRequest",
            { bytes in
                try KnownKeys(of: AudienceCountRequest.self).check(bytes)
                _ = try JSONBody.decode(AudienceCountRequest.self, from: bytes)
            }
        ),
        (
            "AudienceSampleRequest",
            { bytes in
                try KnownKeys(of: AudienceSampleRequest.self).check(bytes)
                _ = try JSONBody.decode(AudienceSampleRequest.self, from: bytes)
            }
        ),
        (
            "DraftPreviewRequest",
            { bytes in
                let zone = DateZone(named: "Europe/Paris")
                _ = try JSONBody.decode(DraftPreviewRequest.self, from: bytes, datesIn: zone)
            }
        ),
        ("CampaignCommentRequest", { _ = try JSONBody.decode(CampaignCommentRequest.self, from: $0) }),
        ("CampaignApprovalRequest", { _ = try JSONBody.decode(CampaignApprovalRequest.self, from: $0) }),
        ("CampaignPreviewRequest", { _ = try JSONBody.decode(CampaignPreviewRequest.self, from: $0) }),
        ("TestSendRequest", { _ = try JSONBody.decode(TestSendRequest.self, from: $0) }),
    ]

    @Test("WIRE-28: the code reads everything that the description allows", arguments: Endurance.seeds(4, brief: 1))
    func readable(seed: UInt64) throws {
        let description = APIDescription.own
        var sample = SchemaSample(description, seed: seed)
        for (name, read) in Self.readers {
            let schema = try #require(description.schema(name))
            for _ in 0..<100 {
                let value = sample.value(of: schema)
                // Neither the sample nor the check may be wrong by itself.
                let errors = description.strictly.errors(of: value, schema)
                #expect(errors == [], "\(name): \(value.text.prefix(500))")
                let bytes = Array(value.text.utf8)
                do {
                    try read(bytes)
                } catch {
                    Issue.record("seed \(seed), \(name): \(error) for \(value.text.prefix(500))")
                }
            }
        }
    }

    @Test("WIRE-28: every body of the description is tried, here or as a batch below")
    func complete() {
        let described = APIDescription.own.operations.compactMap { $0.body?["$ref"]?.optionalString }
            .map { String($0.split(separator: "/").last ?? "") }
        #expect(Set(described) == Set(Self.readers.map(\.schema)).union(["EventBatch"]))
    }

    @Test("WIRE-28: a batch of events as described is stored completely", arguments: Endurance.seeds(4, brief: 1))
    func events(seed: UInt64) async throws {
        try await CallStage.run { stage in
            let description = APIDescription.own
            let schema = try #require(description.schema("EventBatch"))
            var sample = SchemaSample(description, seed: 100 + seed)
            for id in ["sendEvents", "sendEventsOfVersion4"] {
                for _ in 0..<50 {
                    var call = try stage.call(id)
                    var body = sample.value(of: schema)
                    // An id of spaces, or a blank name, is allowed by its length only.
                    let events = (body["events"] ?? .null).elements.map { event in
                        var event = event
                        event["name"] = .string("n\((event["name"]?.optionalString ?? "").prefix(100))")
                        return event
                    }
                    body["events"] = .array(events)
                    call.body = body
                    let response = try await stage.send(call)
                    #expect(call.successes.contains(response.status.code), "seed \(seed): \(body.text.prefix(500))")
                    let rejected = try? response.json(EventBatchResponse.self).rejected
                    #expect(rejected == nil, "seed \(seed): \(response.text) for \(body.text.prefix(500))")
                }
            }
        }
    }
}
