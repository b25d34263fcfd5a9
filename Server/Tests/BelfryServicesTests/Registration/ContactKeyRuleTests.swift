import BelfryRules
import BelfryServerModel
import Testing

@testable import BelfryServices

struct ContactKeyRuleTests {
    @Test("ID-3, WIRE-2: the settings say which contact keys a snapshot may name")
    func rules() {
        let cases: [(IdentityMode?, [String]?, ContactKeyRule)] = [
            (nil, nil, .stated), (.open, nil, .stated), (.open, ["3"], .fielded), (nil, ["3"], .fielded),
            (.verified, nil, .proven), (.verified, ["3"], .proven),
        ]
        for (identity, fields, rule) in cases {
            var settings = AppSettings()
            settings.identity = identity
            settings.contactFields = fields
            #expect(ContactKeyRule(settings) == rule)
        }
    }
}
