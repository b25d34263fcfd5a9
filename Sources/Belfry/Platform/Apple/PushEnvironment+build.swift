#if (canImport(UIKit) && !os(watchOS)) || canImport(AppKit)
    import BelfryModel
    import Foundation

    extension PushEnvironment {
        /// Which of Apple's two services gives this build its tokens.
        ///
        /// The provisioning profile in the app's bundle says it: Xcode's own builds belong to the sandbox, ad hoc and
        /// enterprise ones to production. Without a profile it is an app from the App Store or TestFlight: production. A
        /// simulator belongs to the sandbox.
        public static var ofThisBuild: PushEnvironment {
            #if targetEnvironment(simulator)
                return .sandbox
            #else
                let data = profiles.lazy.compactMap { try? Data(contentsOf: $0) }.first
                return data.flatMap { ProvisioningProfile($0) }?.pushEnvironment ?? .production
            #endif
        }

        /// Where iOS and macOS keep it.
        private static var profiles: [URL] {
            let bundle = Bundle.main.bundleURL
            return [
                bundle.appendingPathComponent("embedded.mobileprovision"),
                bundle.appendingPathComponent("Contents").appendingPathComponent("embedded.provisionprofile"),
            ]
        }
    }
#endif
