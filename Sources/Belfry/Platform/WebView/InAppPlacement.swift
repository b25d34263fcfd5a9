import BelfryModel
import Foundation

/// Where on the screen a message is.
enum InAppPlacement {
    /// A banner is no wider, also on a tablet.
    static let maximumBannerWidth: CGFloat = 640
    /// A banner leaves at least half of the screen to the app.
    static let maximumBannerShare: CGFloat = 0.5

    /// The frame of a message's page. All but banners cover the screen, and draw themselves what they leave free.
    ///
    /// - Parameter height: what the page says that its content needs; nil as long as it has not said so.
    static func frame(of type: InAppType, height: Double?, in bounds: CGRect) -> CGRect {
        guard isBanner(type) else { return bounds }
        let width = min(bounds.width, maximumBannerWidth)
        let most = (bounds.height * maximumBannerShare).rounded(.down)
        let height = height.map { min(max(CGFloat($0), 0), most) } ?? most
        return CGRect(
            x: bounds.minX + (bounds.width - width) / 2,
            y: type == .bannerTop ? bounds.minY : bounds.maxY - height,
            width: width,
            height: height
        )
    }

    /// The app stays usable beside it.
    static func isBanner(_ type: InAppType) -> Bool {
        type == .bannerTop || type == .bannerBottom
    }
}
