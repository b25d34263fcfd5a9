import BelfryModel
import BelfryServerModel
import BelfryServices
import Testing

@testable import BelfryAPI

@Suite("The keys of a body")
struct KnownKeysTests {
    private static func error(_ body: () throws -> Void) -> APIError? {
        do {
            try body()
            return nil
        } catch {
            return error as? APIError
        }
    }

    private static func list(_ part: String, _ count: Int) -> String {
        "[\(Array(repeating: part, count: count).joined(separator: ","))]"
    }

    private static func map(_ value: String, _ count: Int) -> String {
        "{\((0..<count).map { "\"k\($0)\":\(value)" }.joined(separator: ","))}"
    }

    @Test("SEC-2: a body with too many objects is refused, and one at the limit is checked")
    func bounded() throws {
        let keys = KnownKeys(of: AudienceCountRequest.self)
        // The body, the audience, and its parts.
        let cases: [(Int, String?)] = [
            (KnownKeys.maximumObjects - 2, nil), (KnownKeys.maximumObjects - 1, "tooComplex"),
        ]
        for (count, code) in cases {
            let parts = Self.list("{}", count)
            let body = #"{"audience":{"all":\#(parts)}}"#
            let error = Self.error { try keys.check(Array(body.utf8)) }
            #expect(error?.code == code && (error == nil || error?.status == .unprocessableContent))
        }
    }

    @Test("SEC-2, ADM-3: after the maximum number of unknown keys nothing more is checked")
    func stops() throws {
        let keys = KnownKeys(of: AudienceCountRequest.self)
        let parts = Self.list(#"{"everyone":true,"limit":1}"#, 4_000)
        let body = #"{"audience":{"all":\#(parts)}}"#
        let walk = try keys.walk(BodyTree(Array(body.utf8)))
        #expect(walk.isCut && walk.unknown.count == APIError.maximumErrors + 1)
        #expect(walk.objects == 2 + walk.unknown.count)
        let error = try #require(Self.error { try keys.check(Array(body.utf8)) })
        #expect(error.target == "audience.all[0].limit" && error.details?.count == APIError.maximumErrors)
        #expect(error.details?.last?.message == "There are at least 1 more errors. Fix these first.")
    }

    @Test("SEC-2: a campaign with everything it may have is far below the limit")
    func largest() throws {
        let action = #"{"type":"openUrl","url":"https://a.example"}"#
        let button = #"{"id":"b","text":"t","action":\#(action)}"#
        let events = Self.list(#"{"event":"e","count":{"op":">","value":1}}"#, ConditionLimits.maximumEventClauses)
        let everyone = Self.list(#"{"everyone":true}"#, ConditionLimits.maximumNodes)
        let parts = #"{"all":\#(everyone)}"#
        let variants = VariantsCheck.maximumCount
        let pushButtons = Self.list(button, PushContentCheck.maximumButtons)
        let pushVariants = Self.map(#"{"action":\#(action),"buttons":\#(pushButtons)}"#, variants)
        let messageVariants = Self.map("{}", variants)
        let inAppVariants = Self.map(#"{"buttons":{}}"#, variants)
        let buttons = Self.list(button, InAppLimits.maximumButtons)
        let actions = Self.list(#"{"type":"event","name":"e","attributes":{}}"#, InAppLimits.maximumActions)
        let inAppContent = #"{"buttons":\#(buttons),"actions":\#(actions),"action":\#(action),"colors":{"dark":{}}}"#
        let body = """
            {"name":"n","kind":"push","audience":{"all":[{"all":\(events)},\(parts)]},
            "push":{"action":\(action),"buttons":\(pushButtons),"custom":{},"badge":{"op":"clear"},
            "variants":\(pushVariants),"defaults":{}},
            "messageCenter":{"custom":{},"badge":{"op":"clear"},"variants":\(messageVariants),"defaults":{}},
            "inApp":{"type":"modal","content":\(inAppContent),"trigger":{"event":"e","where":\(parts)},
            "variants":\(inAppVariants),"defaults":{}},
            "schedule":{"quietHours":{"from":"22:00","to":"08:00"},"frequencyCap":{"count":1,"within":"P1D"}}}
            """
        let walk = try KnownKeys(of: CampaignRequest.self).walk(BodyTree(Array(body.utf8)))
        #expect(walk.unknown.isEmpty && !walk.isCut)
        #expect(walk.objects > 1_500 && walk.objects * 2 < KnownKeys.maximumObjects)
    }

    @Test("ADM-3: the allowed keys depend on the keys that tell the kind of an object")
    func kinds() throws {
        let keys = KnownKeys(of: AudienceCountRequest.self)
        let cases: [(String, String?)] = [
            (#"{"event":"e","within":"P1D"}"#, nil), (#"{"tag":"t","within":"P1D"}"#, "audience.within"),
            // If several alternatives contradict each other, the keys of all are known; the decoder reports the error.
            (#"{"tag":"t","event":"e","within":"P1D"}"#, nil),
            (#"{"tag":"t","event":"e","value":1}"#, "audience.value"),
            // Nothing says what it is.
            (#"{"within":"P1D","value":1}"#, nil), (#"{"nope":1}"#, "audience.nope"), (#"{"nope":null}"#, nil),
            (#"{"event":"e","where":{"not":{"tag":"t","op":"=="}}}"#, "audience.where.not.op"),
        ]
        for (audience, target) in cases {
            let body = #"{"audience":\#(audience)}"#
            #expect(Self.error { try keys.check(Array(body.utf8)) }?.target == target, "\(audience)")
        }
        let settings = KnownKeys(of: AppSettingsChange.self)
        #expect(Self.error { try settings.check(Array(#"{"nope":null}"#.utf8)) }?.target == "nope")
        #expect(Self.error { try settings.check(Array(#"{"timeZone":null}"#.utf8)) } == nil)
    }
}
