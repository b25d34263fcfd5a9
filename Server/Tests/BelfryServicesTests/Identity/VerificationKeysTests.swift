import BelfryModel
import Foundation
import Testing

@testable import BelfryServices

struct VerificationKeysTests {
    @Test("SEC-2, ID-3: a provider's keys are parsed once, however many tokens come")
    func remembered() throws {
        let provider = try TestIdentityProvider()
        let keys = VerificationKeys()
        let settings = try provider.settings(keys: [provider.rsaKey(), provider.p256Key()])
        for signer in TestIdentityProvider.Signer.allCases {
            for _ in 0..<3 {
                let verifier = OpenIDVerifier(settings: settings, now: ServiceWorld.epoch, keys: keys)
                _ = try verifier.contact(provenBy: provider.token(signer))
            }
        }
        #expect(keys.count == 2)
    }

    @Test("ID-3: a key that was replaced under the same name verifies no more")
    func replaced() throws {
        let (former, current) = (try TestIdentityProvider(), try TestIdentityProvider())
        let keys = VerificationKeys()
        func verifier(_ provider: TestIdentityProvider) throws -> OpenIDVerifier {
            OpenIDVerifier(
                settings: try provider.settings(keys: [provider.p256Key()]), now: ServiceWorld.epoch, keys: keys)
        }
        _ = try verifier(former).contact(provenBy: former.token())
        _ = try verifier(current).contact(provenBy: current.token())
        #expect(throws: OpenIDError.badSignature) { try verifier(current).contact(provenBy: former.token()) }
    }
}
