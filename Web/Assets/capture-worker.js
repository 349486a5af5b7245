// Encodes camera pictures as JPEG off the page's thread, so that the page stays responsive.
// Receives {id, bitmap, width, height, quality}; answers {id, bytes}, or bytes null if it failed.

let canvas;
self.onmessage = async ({ data: { id, bitmap, width, height, quality } }) => {
  try {
    canvas ??= new OffscreenCanvas(width, height);
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
    canvas.getContext("2d", { alpha: false }).drawImage(bitmap, 0, 0, width, height);
    bitmap.close();
    const blob = await canvas.convertToBlob({ type: "image/jpeg", quality });
    const bytes = await blob.arrayBuffer();
    self.postMessage({ id, bytes }, [bytes]);
  } catch {
    self.postMessage({ id, bytes: null });
  }
};
