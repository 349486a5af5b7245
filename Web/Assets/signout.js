// Goes on to the app once the frames have told the others, or after a few seconds.

const patience = 5000;
const go = () => location.replace(document.getElementById("continue").href);

// The page has loaded once its frames have, or could not be.
if (document.readyState === "complete") go();
else {
  addEventListener("load", go);
  setTimeout(go, patience);
}
