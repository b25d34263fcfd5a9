import BelfryModel
import BelfryRules
import BelfryTestSupport
import Foundation
import Testing

struct OpenIDProofTests {
    private func error(of token: String) -> String? {
        do throws(ValueError) {
            _ = try OpenIDProof(token)
            return nil
        } catch {
            return error.code
        }
    }

    @Test("ID-3: an invalid token is refused with the reason, which never repeats it")
    func rejected() {
        #expect(error(of: "") == "blank")
        #expect(error(of: " \n") == "blank")
        #expect(error(of: "opaque-access-token") == "invalidToken")
        #expect(error(of: "a.b") == "invalidToken")
        #expect(error(of: "a..c") == "invalidToken")
        #expect(error(of: "a.b.c.d") == "invalidToken")
        #expect(error(of: "a.b/.c") == "invalidToken")
        #expect(error(of: "a.b=.c") == "invalidToken")
        #expect(error(of: "a.ä.c") == "invalidToken")
        #expect(error(of: "a.b.c") == nil)
        let longest = "a.b." + String(repeating: "c", count: OpenIDProof.maximumBytes - 4)
        #expect(error(of: longest) == nil)
        #expect(error(of: longest + "c") == "tooLong")
    }

    @Test("ID-3: a token is trimmed, survives a restart while it is needed, and is never shown")
    func shown() throws {
        let token = openIDToken(for: "anna")
        let proof = try OpenIDProof(" \(token)\n")
        #expect(proof.token == token)
        #expect(try restarted(proof) == proof)
        let link = PendingLink(owner: 1, target: .openID(subject: proof.subject), proof: proof)
        for text in ["\(proof)", String(reflecting: proof), "\(link)", "\(proof.subject)", "\(proof.digest)"] {
            #expect(!text.contains(token))
            #expect(!text.contains("anna"))
        }
    }

    @Test("ID-3: issuer and subject identify a person; a fresh token is the same person's")
    func subjects() throws {
        let first = try OpenIDProof(openIDToken(for: "anna", serial: 1))
        let fresh = try OpenIDProof(openIDToken(for: "anna", serial: 2))
        #expect(first != fresh)
        #expect(first.digest != fresh.digest)
        #expect(first.subject == fresh.subject)
        let bert = try OpenIDProof(openIDToken(for: "bert", serial: 1))
        let otherIssuer = try OpenIDProof(openIDToken(for: "anna", serial: 1, issuer: "https://other.example.com"))
        #expect(Set([first.subject, bert.subject, otherIssuer.subject]).count == 3)
    }

    @Test(
        "ID-3: a token without a subject counts as a person of its own",
        arguments: ["no JSON", "[]", #"{"iss":"x"}"#, #"{"sub":7}"#, ""]
    )
    func withoutSubject(claims: String) throws {
        // An empty part is not a token, and a single character is not valid Base64url.
        let text = claims.isEmpty ? "a.b.c" : openIDToken(claims: claims)
        let proof = try OpenIDProof(text)
        #expect(proof.subject == proof.digest)
    }

    @Test("ID-3: if a token replaces the key that is its subject, nothing is removed")
    func record() throws {
        var record = ContactRecord()
        let city = try AttributeKey("city")
        record.attributes = [city: "Paris"]
        let anna = try OpenIDProof(openIDToken(for: "anna"))
        let bert = try OpenIDProof(openIDToken(for: "bert"))
        expectFalse(record.setProven(by: anna, former: nil))
        #expect(record.attributes.count == 1)
        record.contactKey = try ContactKey("anna")
        expectFalse(record.setProven(by: anna, former: nil))
        #expect(record.contactKey == nil)
        #expect(record.attributes.count == 1)
        expectFalse(record.setProven(by: anna, former: anna.subject))
        #expect(record.attributes.count == 1)
        expectTrue(record.setProven(by: bert, former: anna.subject))
        #expect(record.attributes.isEmpty)
        record.attributes = [city: "Lyon"]
        record.contactKey = try ContactKey("cleo")
        expectTrue(record.setProven(by: bert, former: nil))
        #expect(record.contactKey == nil)
        #expect(record.attributes.isEmpty)
    }
}
