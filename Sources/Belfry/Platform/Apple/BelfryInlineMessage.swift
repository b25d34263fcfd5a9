#if canImport(UIKit) && canImport(SwiftUI) && canImport(WebKit)
    import SwiftUI
    import UIKit

    /// A SwiftUI view for inline messages (IAM-12): as high as the message needs, and empty without one.
    ///
    /// ```swift
    /// BelfryInlineMessage(viewID: "home-top", client: client)
    /// ```
    public struct BelfryInlineMessage: View {
        private let viewID: String
        private let client: BelfryClient

        @State private var height: CGFloat = 0

        /// - Parameters:
        ///   - viewID: the view's id in campaigns, compared case-insensitively.
        ///   - client: the app's client.
        public init(viewID: String, client: BelfryClient) {
            self.viewID = viewID
            self.client = client
        }

        /// The message's page.
        public var body: some View {
            InlinePage(viewID: viewID, client: client, height: $height)
                .frame(height: height)
        }
    }

    private struct InlinePage: UIViewRepresentable {
        let viewID: String
        let client: BelfryClient
        @Binding var height: CGFloat

        func makeUIView(context: Context) -> BelfryInlineMessageView {
            let view = BelfryInlineMessageView(viewID: viewID, client: client)
            view.heightChanged = { height = $0 }
            return view
        }

        func updateUIView(_ view: BelfryInlineMessageView, context: Context) {
            view.heightChanged = { height = $0 }
            view.viewID = viewID
        }
    }
#endif
