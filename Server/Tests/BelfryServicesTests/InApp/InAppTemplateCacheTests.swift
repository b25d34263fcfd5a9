import BelfryCampaigns
import BelfryModel
import BelfryServerModel
import Testing

@testable import BelfryServices

struct InAppTemplateCacheTests {
    @Test("SEC-8, CAMP-4: that a draft cannot be compiled is found out once, until the app's attributes change")
    func rejected() throws {
        let cache = InAppTemplateCache()
        let id = try #require(CampaignID(7 as Int64))
        let draft = InAppDraft(type: .modal, content: InAppContent(title: "Hello {{firstName}}"))
        let defined: [String: AttributeType] = ["firstName": .string]
        /// Whether it is known to compile; nil: nothing is known.
        func known(_ schema: [String: AttributeType], app: Int64 = 1) -> Bool? {
            switch cache.known(of: id, app: app, draft, schema: schema, allowsScripts: false) {
            case .success?: true
            case .failure?: false
            case nil: nil
            }
        }
        #expect(known([:]) == nil)
        for _ in 1...2 {
            #expect(throws: TemplateErrors.self) {
                try cache.templates(of: id, app: 1, draft, schema: [:], allowsScripts: false)
            }
            #expect(known([:]) == false)
        }
        #expect(known([:], app: 2) == nil && known(defined) == nil)
        _ = try cache.templates(of: id, app: 1, draft, schema: defined, allowsScripts: false)
        #expect(known(defined) == true && known([:]) == nil)
    }
}
