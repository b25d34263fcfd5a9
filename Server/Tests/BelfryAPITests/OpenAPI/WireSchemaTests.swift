import BelfryModel
import BelfryServerModel
import BelfryTestSupport
import BelfryWire
import Foundation
import Testing

@testable import BelfryAPI

@Suite("The schemas and the wire types")
struct WireSchemaTests {
    private let description = APIDescription.own

    /// Fields that are the store's own and never travel.
    private static let kept = ["unreadableAttributes"]
    /// Schemas that no single wire type stands behind.
    private static let composed: Set = ["EventBatch", "EventBatchResponse", "InlineMessagesRequest"]

    @Test("WIRE-28: the encoding of a wire type matches its schema, field by field")
    func samples() throws {
        for sample in try WireSample.all() {
            let schema = try #require(description.schema(sample.schema), "\(sample.schema)")
            let absent = Set(sample.absent).subtracting(Self.kept)
            #expect(absent.isEmpty, "\(sample.schema): \(absent)")
            #expect(description.strictly.errors(of: sample.json, schema) == [], "\(sample.schema)")
            // What a request may repeat of a response is not its own.
            let fields = (schema["properties"] ?? .null).members
                .filter { $0.value["readOnly"] == nil }.keys.sorted()
            #expect(sample.json.members.keys.sorted() == fields, "\(sample.schema)")
        }
    }

    @Test("WIRE-28: every schema of an object has a sample")
    func complete() throws {
        let objects = (description.document["components"]?["schemas"] ?? .null).members
            .filter { !($0.value["properties"] ?? .null).members.isEmpty }.keys
        let sampled = try WireSample.all().map(\.schema)
        #expect(Set(sampled).count == sampled.count)
        #expect(Set(objects).subtracting(Self.composed) == Set(sampled))
    }

    @Test("WIRE-28: exactly the fields that a schema requires are required by the type")
    func required() throws {
        let zone = DateZone(named: "Europe/Paris")
        let decoders: [String: (Data) throws -> Void] = [
            "ContactTokenRequest": { _ = try JSONDecoder().decode(ContactTokenRequest.self, from: $0) },
            "MessageStateRequest": { _ = try JSONDecoder().decode(MessageStateRequest.self, from: $0) },
            "BadgeRequest": { _ = try JSONDecoder().decode(BadgeRequest.self, from: $0) },
            "Badge": { _ = try JSONDecoder().decode(Badge.self, from: $0) },
            "MessageCenterChange": { _ = try JSONDecoder().decode(MessageCenterChange.self, from: $0) },
            "PushTokenRequest": { _ = try JSONDecoder().decode(PushTokenRequest.self, from: $0) },
            "RegistrationSnapshot": { _ = try JSONDecoder().decode(RegistrationSnapshot.self, from: $0) },
            "PartyIdentifier": { _ = try JSONDecoder().decode(PartyIdentifier.self, from: $0) },
            "CreateAppRequest": { _ = try JSONDecoder().decode(CreateAppRequest.self, from: $0) },
            "APNsCredentialsRequest": { _ = try JSONDecoder().decode(APNsCredentialsRequest.self, from: $0) },
            "FCMCredentialsRequest": { _ = try JSONDecoder().decode(FCMCredentialsRequest.self, from: $0) },
            "WebPushCredentialsRequest": { _ = try JSONDecoder().decode(WebPushCredentialsRequest.self, from: $0) },
            "DefineAttributeRequest": { _ = try JSONDecoder().decode(DefineAttributeRequest.self, from: $0) },
            "DefineAttributesRequest": { _ = try JSONDecoder().decode(DefineAttributesRequest.self, from: $0) },
            "AttributeDefinition": { _ = try JSONDecoder().decode(AttributeDefinition.self, from: $0) },
            "OpenIDSettings": { _ = try JSONDecoder().decode(OpenIDSettings.self, from: $0) },
            "JSONWebKey": { _ = try JSONDecoder().decode(JSONWebKey.self, from: $0) },
            "CampaignRequest": { _ = try JSONBody.decode(CampaignRequest.self, from: Array($0), datesIn: zone) },
            "PushContent": { _ = try JSONDecoder().decode(PushContent.self, from: $0) },
            "PushVariant": { _ = try JSONDecoder().decode(PushVariant.self, from: $0) },
            "MessageCenterContent": {
                _ = try JSONDecoder().decode(MessageCenterContent.self, from: $0)
            },
            "MessageCenterVariant": { _ = try JSONDecoder().decode(MessageCenterVariant.self, from: $0) },
            "InAppDraft": { _ = try JSONDecoder().decode(InAppDraft.self, from: $0) },
            "InAppDraftRequest": { _ = try JSONBody.decode(InAppDraftRequest.self, from: Array($0), datesIn: zone) },
            "InAppTrigger": { _ = try JSONDecoder().decode(InAppTrigger.self, from: $0) },
            "InAppContent": { _ = try JSONDecoder().decode(InAppContent.self, from: $0) },
            "InAppVariant": { _ = try JSONDecoder().decode(InAppVariant.self, from: $0) },
            "InAppButton": { _ = try JSONDecoder().decode(InAppButton.self, from: $0) },
            "InAppAction": { _ = try JSONDecoder().decode(InAppAction.self, from: $0) },
            "InAppColors": { _ = try JSONDecoder().decode(InAppColors.self, from: $0) },
            "InAppDarkColors": { _ = try JSONDecoder().decode(InAppDarkColors.self, from: $0) },
            "BadgeChange": { _ = try JSONDecoder().decode(BadgeChange.self, from: $0) },
            "CampaignSchedule": { _ = try JSONDecoder().decode(CampaignSchedule.self, from: $0) },
            "QuietHours": { _ = try JSONDecoder().decode(QuietHours.self, from: $0) },
            "FrequencyCap": { _ = try JSONDecoder().decode(FrequencyCap.self, from: $0) },
            "CampaignPreviewRequest": { _ = try JSONDecoder().decode(CampaignPreviewRequest.self, from: $0) },
            "TestSendRequest": { _ = try JSONDecoder().decode(TestSendRequest.self, from: $0) },
            "NotificationAction": { _ = try JSONDecoder().decode(NotificationAction.self, from: $0) },
            "NotificationButton": { _ = try JSONDecoder().decode(NotificationButton.self, from: $0) },
        ]
        for sample in try WireSample.all() {
            guard let decode = decoders[sample.schema], let schema = description.schema(sample.schema) else { continue }
            let required = (schema["required"] ?? .null).elements.compactMap(\.optionalString)
            for field in sample.json.members.keys {
                var less = sample.json
                less[field] = nil
                let data = Data(less.text.utf8)
                let isRead = (try? decode(data)) != nil
                #expect(isRead == !required.contains(field), "\(sample.schema).\(field)")
            }
        }
    }

    @Test("WIRE-28, CAMP-3: every kind of predicate and comparison is described")
    func predicates() throws {
        let schema = try #require(description.schema("Predicate"))
        let comparisons: [Comparison] = [
            .equal("Paris"), .notEqual(1.5), .less(1), .lessOrEqual(true), .greater("a"), .greaterOrEqual(2),
            .isIn(["a", 1, false]), .contains("a"), .startsWith("b"), .exists(true), .exists(false),
        ]
        var conditions: [Condition] = [
            .everyone, .known(false), .tag("sports"), .contactKeys(["anna"]), .deviceIDs([]), .not(.everyone),
            .all([.everyone, .any([.tag("a"), .not(.known(true))])]),
        ]
        conditions += comparisons.map { .attribute("city", $0) }
        conditions += DeviceProperty.allCases.map { .device($0, .exists(true)) }
        conditions += PartyPart.allCases.map { .party($0, .exists(true)) } + comparisons.map { .party(.number, $0) }
        for condition in conditions {
            let json = try JSONValue(encoding: condition)
            #expect(description.strictly.errors(of: json, schema) == [], "\(json.text)")
        }
        for wrong in [
            "{}", #"{"everyone":false}"#, #"{"tag":1}"#, #"{"all":[]}"#, #"{"tag":"a","known":true}"#,
            #"{"party":"x","op":"exists"}"#,
        ] {
            #expect(description.strictly.errors(of: try JSONValue(json: wrong), schema) != [], "\(wrong)")
        }
    }
}
