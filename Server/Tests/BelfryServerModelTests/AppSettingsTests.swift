import BelfryModel
import BelfryServerModel
import BelfryTestSupport
import Testing

struct AppSettingsTests {
    @Test("ADM-2: an absent setting is kept, a null resets it, a value sets it; the names say which")
    func change() throws {
        let json =
            #"{"anonymousContacts":false,"contactFields":[3,"email"],"identity":null,"timeZone":null,"unknown":1}"#
        let change = try decoded(AppSettingsChange.self, json)
        #expect(change.anonymousContacts == .set(false) && change.contactFields == .set(["3", "email"]))
        #expect(change.identity == .reset && change.timeZone == .reset)
        #expect(change.openID == .keep && change.maxBadgeCount == .keep && change.allowedOrigins == .keep)
        #expect(change.names == ["anonymousContacts", "contactFields", "identity", "timeZone"])
        #expect(AppSettingsChange().names.isEmpty)
    }

    @Test("ADM-2: a change is written as it was read")
    func roundTrip() throws {
        for json in [
            "{}",
            #"{"allowedOrigins":[],"anonymousContacts":null,"contactFields":["3"],"#
                + #""deliveryRetentionDays":60,"dormantAfterDays":30,"#
                + #""eventRetentionDays":7,"#
                + #""identity":"verified","inAppScripts":true,"maxBadgeCount":null,"openID":{"audience":"a","claim":"sub","issuer":"i","#
                + #""jwks":{"keys":[{"crv":"P-256","kty":"EC","x":"1","y":"2"}]}},"requiresApproval":false,"timeZone":"UTC"}"#,
        ] {
            #expect(try encoded(try decoded(AppSettingsChange.self, json)) == json)
        }
    }

    @Test("ADM-2: a setting of the wrong type is named", arguments: ["anonymousContacts", "identity", "contactFields"])
    func wrongKinds(_ name: String) {
        #expect(decodingErrorField { try decoded(AppSettingsChange.self, #"{"\#(name)":{}}"#) } == name)
    }

    @Test("ADM-2: keeping changes nothing, resetting restores the default, setting replaces")
    func apply() {
        for value in [nil, 5] as [Int?] {
            var setting = value
            SettingChange<Int>.keep.apply(to: &setting)
            #expect(setting == value)
            SettingChange<Int>.set(7).apply(to: &setting)
            #expect(setting == 7)
            SettingChange<Int>.reset.apply(to: &setting)
            #expect(setting == nil)
        }
    }

    @Test("ADM-2: absent settings have their defaults")
    func defaults() throws {
        let settings = try decoded(AppSettings.self, "{}")
        #expect(settings == AppSettings())
        #expect(settings.allowsAnonymousContacts && settings.identityMode == .open && settings.maximumBadge == 99)
        #expect(settings.origins.isEmpty && settings.timeZoneName == "UTC" && settings.eventRetentionDays == nil)
        #expect(settings.deliveryRetentionDays == nil)
        #expect(!settings.allowsInAppScripts && settings.dormancyDays == 400)
        #expect(try encoded(settings) == "{}")
    }

    @Test("ID-3: of a private key only the names of the secret members are kept")
    func secretMembers() throws {
        let json = #"{"kty":"RSA","n":"1","e":"2","d":"secret","p":null,"x5c":["more"]}"#
        let key = try decoded(JSONWebKey.self, json)
        #expect(key.secretMembers == ["d", "p"])
        #expect(try encoded(key) == #"{"e":"2","kty":"RSA","n":"1"}"#)
        #expect(try decoded(JSONWebKey.self, try encoded(key)).secretMembers.isEmpty)
    }
}
